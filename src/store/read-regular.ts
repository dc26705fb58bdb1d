import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { mayBeThere, storeFailure } from './store-failure.js';

/** Nobody waits for the other end of a pipe: a command would never end, and not hear Ctrl-C. */
const WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK;

/** Opens a file of ours to read it. Throws for what is no regular file, and waits for none. */
export async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, WITHOUT_WAITING);
  try {
    requireRegular(await file.stat(), path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Does the same at once. */
export function openRegularNow(path: string): number {
  const file = openSync(path, WITHOUT_WAITING);
  try {
    requireRegular(fstatSync(file), path);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Reads a file of ours whole; throws as `openRegular` does. */
export async function readBytes(path: string): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Reads a file of ours as text. */
export async function readText(path: string): Promise<string> {
  return (await readBytes(path)).toString();
}

/**
 * Reads a file of ours as text; null where there is none. Throws a `StoreFailure` where it may be there and cannot be
 * read now.
 */
export async function readIfThere(path: string): Promise<string | null> {
  return readText(path).catch((error: unknown) => noFile(error, path));
}

/** Null for an error that says that no file is there which we may read; else throws a `StoreFailure`. */
export function noFile(error: unknown, path: string): null {
  const failure = storeFailure(error, 'read', path);
  if (mayBeThere(failure)) throw failure;
  return null;
}

/** Reads a file of ours as text, at once. */
export function readTextNow(path: string): string {
  return readBytesNow(path).toString();
}

/** Reads a file of ours whole, at once. */
export function readBytesNow(path: string): Buffer {
  const file = openRegularNow(path);
  try {
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function requireRegular(stat: Stats, path: string): void {
  if (stat.isFile()) return;
  // The system's own codes of who reads a folder, and of who opens a socket.
  const code = stat.isDirectory() ? 'EISDIR' : 'ENXIO';
  throw Object.assign(new Error(`${code}: expected a regular file, ${path}`), { code });
}
