import { lstat, realpath } from 'node:fs/promises';
import { relative, resolve } from 'node:path';

/**
 * Whether a command that only reads does so in the workspace alone, though nothing encloses it: each argument that names
 * something there, or begins a path to it, is itself and no link elsewhere. The policy has refused `..` and absolute paths.
 */
export async function staysInside(argv: string[], cwd: string, workspace: string): Promise<boolean> {
  const names = argv.slice(1).flatMap((word) => [word, ...word.split('=').slice(1)]).filter((word) => word !== '');
  const inside = await Promise.all([cwd, ...names].map((name) => isInside(resolve(cwd, name), workspace)));
  return inside.every(Boolean);
}

async function isInside(path: string, workspace: string): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return true;
  const real = await realpath(path).catch(() => null);
  if (real === null) return false;
  const from = relative(workspace, real);
  const isState = from === '.perdure' || from.startsWith('.perdure/');
  return !from.startsWith('..') && !from.startsWith('/') && !isState && (!found.isFile() || found.nlink === 1);
}
