import { existsSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isOption } from '../../../plan/tools/command-rule.js';
import { isBelow } from '../../../store/folders/places.js';
import { isStateFolder, placesOf } from '../../../store/folders/state-folders.js';
import { isGit } from '../../../store/git/enclosure.js';

/** Programs that go into all folders below by themselves. */
const DESCENDING = new Set(['find', 'rg', 'fd', 'fdfind', 'tree', 'du']);
/** Options by which others do: `grep -rn`, `ls -R`, `diff --recursive`. */
const RECURSIVE = /^(?:-[A-Za-z0-9]*[rR]|--(?:dereference-)?recursive|--dir)/;
/** Options by which programs read what a file or their stdin names, or follow links on their way down. */
const LED: [programs: RegExp, options: string[]][] = [
  [/^/, ['--files0-from', '--files-from', '--follow', '--dereference', '--dereference-recursive']],
  [/sum$/, ['-c', '--check']],
  [/grep$/, ['-R', '-S']],
  [/^(?:find|fd|fdfind|rg|du|ls)$/, ['-L', '-follow']],
  [/^tree$/, ['-l']],
  [/^diff$/, ['-r', '--recursive']],
];
/** Programs with a language of their own, by which they open files: `import "x" as $x {search: "/"}`. */
const SPEAKING = new Set(['jq']);

/**
 * Tells whether a command that only reads does so in the workspace alone, though nothing encloses it: each argument
 * that names something there, or begins a path to it, is itself and no link elsewhere, and no state folder is on the
 * way or below. The policy has refused `..` and absolute paths. What no argument names is not read: not by what stands
 * in a file, and not in a repository that an agent may have written.
 */
export async function staysInside(argv: string[], cwd: string, workspace: string, states: string[]): Promise<boolean> {
  const words = argv.slice(1);
  if (isLed(argv) || (isGit(argv[0]) && isInRepositoryOfFiles(cwd, workspace))) return false;
  const names = words
    .flatMap((word) => [word, ...word.split('=').slice(1), ...(/^-[^-]/.test(word) ? [word.slice(2)] : [])])
    .filter((word) => word !== '');
  const hidden = states.flatMap((state) => placesOf(state, workspace));
  const descends = DESCENDING.has(argv[0] ?? '') || words.some((word) => RECURSIVE.test(word));
  const inside = await Promise.all(
    [cwd, ...names].map((name) => isInside(resolve(cwd, name), { workspace, hidden, descends })),
  );
  return inside.every(Boolean);
}

/** Tells whether files that a command reads are named by what is in others: `strings @list`. */
function isLed([program = '', ...words]: string[]): boolean {
  if (SPEAKING.has(program)) return true;
  const options = LED.flatMap(([programs, led]) => (programs.test(program) ? led : []));
  return words.some((word) => word.startsWith('@') || options.some((option) => isOption(word, option)));
}

/**
 * Tells whether git would take the files themselves for a repository, below the workspace's own: it starts what the
 * configuration there names, and no `.git` keeps an agent from writing it.
 */
function isInRepositoryOfFiles(cwd: string, workspace: string): boolean {
  for (let at = cwd; at === workspace || at.startsWith(`${workspace}/`); at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return false;
    if (existsSync(join(at, 'HEAD'))) return true;
  }
  return false;
}

async function isInside(
  path: string,
  { workspace, hidden, descends }: { workspace: string; hidden: string[]; descends: boolean },
): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return true;
  const real = await realpath(path).catch(() => null);
  if (real === null) return false;
  if (!isBelow(real, workspace) || isInState(real, workspace)) return false;
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
