import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { chmod, open, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../store-failure.js';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
/** Linux: what stands there, without a right to read it (open(2)). */
const O_PATH = 0o10000000;
/** Rounds in which a folder is emptied, one for each level: who makes more meanwhile is not waited for. */
const MOST_ROUNDS = 10_000;

/** Somebody makes as much as is removed. */
export class FilledAgain extends Error {}

/**
 * Removes a folder in which an agent has worked, with all that is in it, as deep as it may be and whoever may write
 * there; nothing where it is not there. Nobody works there any more.
 */
export async function removeFolder(path: string): Promise<void> {
  await removeAt(dirname(path), basename(path), Infinity);
}

/**
 * Removes an entry of an open folder with all that is in it; `base` is the path of that folder through its descriptor.
 * No link is followed, and however deep it is, two folders are open at a time: what is in a folder inside is moved up
 * first.
 */
export async function removeAt(base: string, name: string, mostRounds = MOST_ROUNDS): Promise<void> {
  const path = join(base, name);
  if (!(await isFolder(Buffer.from(path)))) return;
  const top = await openFolder(Buffer.from(path));
  if (top === null) return removeAt(base, name, mostRounds); // it has become something else
  try {
    const topPath = process.platform === 'linux' ? `/proc/self/fd/${top.fd}` : path;
    for (let round = 0; ; round += 1) {
      const names = await readdir(topPath, { encoding: 'buffer' });
      if (names.length === 0) break;
      if (round === mostRounds) throw new FilledAgain(`\`${name}\` cannot be removed: it is filled again and again.`);
      for (const inner of names) await flatten(topPath, inner);
    }
  } finally {
    await top.close();
  }
  await rmdir(path).catch(unlessMissing);
}

/** Removes a file, or a folder whose own folders are moved up. */
async function flatten(topPath: string, name: Buffer): Promise<void> {
  const path = below(topPath, name);
  if (!(await isFolder(path))) return;
  const folder = await openFolder(path);
  if (folder === null) return;
  try {
    const inside = process.platform === 'linux' ? `/proc/self/fd/${folder.fd}` : path.toString();
    for (const inner of await readdir(inside, { encoding: 'buffer' })) {
      const innerPath = below(inside, inner);
      if (!(await isFolder(innerPath))) continue;
      // To be moved it has to be ours to write.
      await (await openFolder(innerPath))?.close();
      await rename(innerPath, join(topPath, randomBytes(8).toString('hex'))).catch(unlessMissing);
    }
  } finally {
    await folder.close();
  }
  await rmdir(path).catch(unlessMissing);
}

/** Unlinks what is no folder. */
async function isFolder(path: Buffer): Promise<boolean> {
  try {
    await unlink(path);
    return false;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return false;
    if (code === 'EISDIR' || code === 'EPERM') return true;
    throw error;
  }
}

/** A folder that nobody may read or write is made one of ours first. */
async function openFolder(path: Buffer): Promise<FileHandle | null> {
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(async (error: unknown) => {
    if (errorCode(error) !== 'EACCES' || !(await makeReadable(path))) return unlessMissing(error);
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(unlessMissing);
  });
  await handle?.chmod(0o700).catch(() => undefined);
  return handle ?? null;
}

/**
 * Gives its owner all rights to a folder: by the folder itself, whatever its path leads to by then. False where the
 * system cannot do that.
 */
export async function makeReadable(path: Buffer | string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const handle = await open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW).catch(unlessMissing);
  if (handle === undefined) return false;
  try {
    const { mode } = await handle.stat();
    await chmod(`/proc/self/fd/${handle.fd}`, (mode & 0o7777) | 0o700);
    return true;
  } finally {
    await handle.close();
  }
}

function below(folder: string, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), name]);
}

/** Gone, changed or filled meanwhile: whoever loops looks again. */
function unlessMissing(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENOTEMPTY'].includes(errorCode(error) ?? '')) return undefined;
  throw error;
}
