import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode, storeFailure } from './store-failure.js';

/** For files and folders of the store: nobody but their owner. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

/**
 * Writes a whole file so that a reader, a crash and a full disk see the old state or the new one, never a part (I6):
 * temporary file, fsync, rename, fsync of the folder. Throws `StoreFailure`.
 */
export async function writeAtomically(path: string, content: string | Buffer): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeSynced(temporary, content);
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw storeFailure(error, 'write', path);
  }
}

async function writeSynced(path: string, content: string | Buffer): Promise<void> {
  const file = await openInNewFolder(path);
  try {
    await file.writeFile(content);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Opens a new file; its folder is made only when it is missing, because it nearly never is. */
async function openInNewFolder(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', PRIVATE_FILE);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await makeFolder(dirname(path));
    return await open(path, 'wx', PRIVATE_FILE);
  }
}

/** Makes a folder and syncs the one that holds it, so that the new entry outlives a power cut. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER });
  if (first !== undefined) await syncFolder(dirname(first));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
