import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, sep } from 'node:path';
import { isBelow } from '../folders/places.js';

/**
 * PATH for what Perdure itself starts: without folders in which an agent may have put a program under the name of
 * another. Those are folders of packages (`npx` and `npm run` put the workspace's first), what is below `workspace`,
 * and relative ones. A workspace that holds people's home hides no more of it than its packages.
 */
export function outsidePath(path: string | undefined, workspace: string | null): string {
  return partsOf(path, workspace).outside.join(delimiter);
}

/** PATH for what people name: all its folders, those in which an agent may have put a program last. */
export function outsideFirst(path: string | undefined, workspace: string | null): string {
  const { outside, inside } = partsOf(path, workspace);
  return [...outside, ...inside].join(delimiter);
}

/** The variables that a program gets which Perdure itself starts. */
export function outsideEnvironment<E extends Record<string, string | undefined>>(env: E, workspace: string | null): E {
  return env['PATH'] === undefined ? env : { ...env, PATH: outsidePath(env['PATH'], workspace) };
}

function partsOf(path = '', workspace: string | null): { outside: string[]; inside: string[] } {
  const root = workspace === null || isBelow(realOf(homedir()), realOf(workspace)) ? null : realOf(workspace);
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const inside = folders.filter((folder) => !isOutside(folder, root));
  return { outside: folders.filter((folder) => !inside.includes(folder)), inside };
}

function isOutside(folder: string, root: string | null): boolean {
  if (!isAbsolute(folder)) return false;
  const real = realOf(folder);
  return ![folder, real].some(
    (name) => name.split(sep).includes('node_modules') || (root !== null && isBelow(name, root)),
  );
}

/** Where a folder is; as it is written where it is not there. */
function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
