import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreFailure, errorCode } from '../store-failure.js';

/** For files and folders of the store: nobody but their owner. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

/** What a folder is, wherever it is moved to: no other that exists at the same time has both. */
export interface FolderIdentity {
  dev: number;
  ino: number;
}

/** Folders of the stores that this process has open. */
const roots = new Map<string, FolderIdentity>();

/** The folder at a path; null where there is none. */
export function identityOf(path: string): FolderIdentity | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : { dev: found.dev, ino: found.ino };
}

export function isSameFolder(one: FolderIdentity | null, other: FolderIdentity | null): boolean {
  return one !== null && other !== null && one.dev === other.dev && one.ino === other.ino;
}

/** Says that a store is open there: from now on it is written to nowhere but in this very folder. */
export function openRoot(stateDir: string): void {
  const identity = identityOf(stateDir);
  if (identity !== null) roots.set(stateDir, identity);
}

/**
 * Throws a `StoreFailure` where the store of a path was moved, or removed, since it was opened: another folder may
 * stand there now.
 */
export function requireRoot(path: string): void {
  const failure = movedRoot(path);
  if (failure !== null) throw failure;
}

/** The failure of a store that was moved or removed since it was opened; null where it is where it was. */
export function movedRoot(path: string): StoreFailure | null {
  const root = rootOf(path);
  return root === null || isSameFolder(identityOf(root), roots.get(root) ?? null) ? null : gone(root);
}

/**
 * Makes a folder and those that hold it, below the store's own: that one is never made anew. Gives the first that it
 * made; undefined where all were there.
 */
export function makeFolders(path: string): string | undefined {
  const root = rootOf(path);
  if (root === null) return makeEach(path);
  requireRoot(path);
  const missing: string[] = [];
  for (let folder = path; folder !== root && identityOf(folder) === null; folder = dirname(folder))
    missing.unshift(folder);
  for (const folder of missing) makeOne(folder, root);
  return missing[0];
}

/**
 * Makes a folder and those that hold it, one by one: of a file system that is read-only `mkdir -p` of Node says that it
 * is not there, and below one that makes none, as `/proc`, it never comes back.
 */
export function makeEach(path: string, mode = PRIVATE_FOLDER): string | undefined {
  const missing: string[] = [];
  for (let folder = path; identityOf(folder) === null && folder !== dirname(folder); folder = dirname(folder))
    missing.unshift(folder);
  for (const folder of missing) {
    try {
      mkdirSync(folder, { mode });
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error; // somebody was faster
    }
  }
  return missing[0];
}

function makeOne(folder: string, root: string): void {
  try {
    mkdirSync(folder, { mode: PRIVATE_FOLDER });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') throw gone(root);
    if (errorCode(error) !== 'EEXIST') throw error; // somebody was faster
  }
}

function rootOf(path: string): string | null {
  for (let folder = path; ; folder = dirname(folder)) {
    if (roots.has(folder)) return folder;
    if (dirname(folder) === folder) return null;
  }
}

function gone(root: string): StoreFailure {
  // As systems say of a file whose place is another now: whoever holds the store where it is goes on.
  const cause = Object.assign(new Error('the folder is another'), { code: 'ESTALE' });
  return new StoreFailure('internal', `The state folder \`${root}\` was moved or removed: nothing is written there.`, {
    cause,
  });
}
