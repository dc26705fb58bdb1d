import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';

/** What a store is found by. */
interface Placed {
  /** Null of one that is elsewhere: its paths are its workers' to resolve. */
  folder: string | null;
}

/**
 * A path as a run carries it: from the state folder. What is moved together with that is found again, and so is all of
 * a project whose state is in it.
 */
export function placeOf({ folder }: Placed, path: string): string {
  return folder === null ? path : relative(realOf(folder), realOf(path)) || '.';
}

/** Where that is now; what was absolute stays so. */
export function locate({ folder }: Placed, place: string): string {
  return folder === null ? place : resolve(realOf(folder), place);
}

/** The real path of a file or folder, by whatever path it is reached; where it is not there, the path made absolute. */
export function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path);
  }
}

/** Tells whether a path is a folder, or below it; `..data` is a name. Where links lead is for the caller to know. */
export function isBelow(path: string, folder: string): boolean {
  const from = relative(folder, path);
  return from !== '..' && !from.startsWith(`..${sep}`) && !isAbsolute(from);
}
