import { lstat, realpath } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { isStateFolder, placesOf } from '../../../store/folders/state-folders.js';

/** Programs that go into all folders below by themselves. */
const DESCENDING = new Set(['find', 'rg', 'fd', 'fdfind', 'tree', 'du']);
/** Options by which others do: `grep -rn`, `ls -R`, `diff --recursive`. */
const RECURSIVE = /^(?:-[A-Za-z0-9]*[rR]|--(?:dereference-)?recursive|--dir)/;

/**
 * Tells whether a command that only reads does so in the workspace alone, though nothing encloses it: each argument
 * that names something there, or begins a path to it, is itself and no link elsewhere, and no state folder is on the
 * way or below. The policy has refused `..` and absolute paths.
 */
export async function staysInside(argv: string[], cwd: string, workspace: string, states: string[]): Promise<boolean> {
  const words = argv.slice(1);
  const names = words.flatMap((word) => [word, ...word.split('=').slice(1)]).filter((word) => word !== '');
  const hidden = states.flatMap((state) => placesOf(state, workspace));
  const descends = DESCENDING.has(argv[0] ?? '') || words.some((word) => RECURSIVE.test(word));
  const inside = await Promise.all(
    [cwd, ...names].map((name) => isInside(resolve(cwd, name), { workspace, hidden, descends })),
  );
  return inside.every(Boolean);
}

async function isInside(
  path: string,
  { workspace, hidden, descends }: { workspace: string; hidden: string[]; descends: boolean },
): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return true;
  const real = await realpath(path).catch(() => null);
  if (real === null) return false;
  const from = relative(workspace, real);
  if (from.startsWith('..') || from.startsWith('/') || isInState(real, workspace)) return false;
  if (
    hidden.some((place) => real === place || real.startsWith(`${place}/`) || (descends && place.startsWith(`${real}/`)))
  )
    return false;
  return !found.isFile() || found.nlink === 1;
}

function isInState(real: string, workspace: string): boolean {
  for (let at = real; at.length > workspace.length; at = dirname(at)) if (isStateFolder(at)) return true;
  return false;
}
