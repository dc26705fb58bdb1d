import { randomBytes } from 'node:crypto';
import { appendFileSync, closeSync, fdatasync, fstatSync, fsync, open, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { sha256 } from './hash.js';
import { coalesce } from './coalesce.js';
import { makeFolders, PRIVATE_FILE, requireRoot } from './folders/root.js';
import { errorCode, storeFailure } from './store-failure.js';

/** File systems allow 255 bytes in a name; what would be longer is named by a hash. */
const LONGEST_NAME = 200;

const openFile = promisify(open);
const syncContent = promisify(fdatasync);
const syncEntries = promisify(fsync);

/**
 * Writes a whole file so that a reader, a crash and a full disk see the old state or the new one, never a part (I6):
 * temporary file, sync, rename, sync of the folder. Both syncs are needed: the first, so that whoever finds the name
 * finds the content; the second, because a rename is kept by a sync of its folder and by nothing else that every file
 * system promises. They and the file's making, which takes up to a millisecond while others sync, are asynchronous: the
 * other calls take microseconds, and a trip through the thread pool takes ten times as long. With `first` the file gets
 * its name only when that has resolved. Throws `StoreFailure`.
 */
export function writeAtomically(path: string, content: string | Buffer, first?: Promise<unknown>): Promise<void> {
  return beginToWrite(path, content, first).done;
}

/** A file that is being written. */
export interface Writing {
  /** Resolves when the file has its name: everybody finds it whole, whatever is killed. */
  named: Promise<void>;
  /** Resolves when it outlives a power cut too. Alone tells what goes wrong. */
  done: Promise<void>;
}

/**
 * The same for who has another file to write that names this one: the syncs of both folders need not wait for each
 * other.
 */
export function beginToWrite(path: string, content: string | Buffer, first?: Promise<unknown>): Writing {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const named = writeSynced(temporary, content)
    .then(() => first)
    .then(() => renameSync(temporary, path));
  const done = named
    .then(() => syncFolder(dirname(path)))
    .catch((error: unknown) => {
      removeQuietly(temporary);
      throw storeFailure(error, 'write', path);
    });
  named.catch(() => undefined); // told by `done`
  first?.catch(() => undefined); // likewise, unless something else went wrong before
  return { named, done };
}

/**
 * Opens a file to be appended to and read, and makes it when it is missing; its name is on disk before it has content.
 */
export async function openToAppend(path: string): Promise<number> {
  const { file, placed } = await openInFolder(path, 'a+');
  try {
    if (fstatSync(file).size === 0) await Promise.all([placed, syncFolder(dirname(path))]);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Any text as a file's name: nothing in it can leave the folder, whatever a run or a step is called. */
export function fileName(text: string): string {
  const name =
    encodeURIComponent(text.toWellFormed()).replace(
      /[.*'()!~]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    ) || '%00';
  return name.length <= LONGEST_NAME ? name : `+${sha256(text).slice('sha256:'.length)}`;
}

/** The text whose name a file has, as `fileName` made it; as it stands of one that others have made. */
export function nameText(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

async function writeSynced(path: string, content: string | Buffer): Promise<void> {
  const { file, placed } = await openInFolder(path, 'wx');
  try {
    appendFileSync(file, content); // Not `writeSync`: on a full disk that writes a part and does not say so.
    await Promise.all([placed, syncContent(file)]);
  } finally {
    closeSync(file);
  }
}

/**
 * Opens a file; its folder is made only when it is missing, because it nearly never is. `placed` resolves when the
 * folder outlives a power cut.
 */
async function openInFolder(path: string, flags: 'wx' | 'a+'): Promise<{ file: number; placed?: Promise<unknown> }> {
  requireRoot(path);
  try {
    return { file: await openFile(path, flags, PRIVATE_FILE) };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    const first = makeFolders(dirname(path)); // what the disk says of it is told, not that the file has no place
    const placed = syncFolders(dirname(path), first);
    placed.catch(() => undefined); // told by whoever waits for it
    return { file: await openFile(path, flags, PRIVATE_FILE), placed };
  }
}

/** Syncs the entries of a folder and of those that hold it, up to the first that was made. */
async function syncFolders(path: string, first: string | undefined): Promise<void> {
  if (first === undefined) return;
  const changed: string[] = [];
  for (let folder = path; folder.length >= first.length; folder = dirname(folder)) changed.push(dirname(folder));
  await Promise.all(changed.map(syncFolder));
}

/** Fifty runs that start together make fifty files in one folder; each sync takes a third of a millisecond of CPU. */
const syncFolder = coalesce(async (path) => {
  const folder = openSync(path, 'r');
  try {
    await syncEntries(folder);
  } finally {
    closeSync(folder);
  }
});

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // What went wrong before is what will be told.
  }
}
