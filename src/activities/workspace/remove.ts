import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../store/store-failure.js';
import { FileRefusal } from './refusal.js';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
/** Rounds in which a folder is emptied, one for each level: who makes more meanwhile is not waited for. */
const MOST_ROUNDS = 10_000;

/**
 * Removes an entry of an open folder with all that is in it; `base` is the path of that folder through its descriptor.
 * No link is followed, and however deep it is, two folders are open at a time: what is in a folder inside is moved up
 * first.
 */
export async function removeAt(base: string, name: string): Promise<void> {
  const path = join(base, name);
  if (!(await isFolder(Buffer.from(path)))) return;
  const top = await openFolder(Buffer.from(path));
  if (top === null) return removeAt(base, name); // it has become something else
  try {
    const topPath = process.platform === 'linux' ? `/proc/self/fd/${top.fd}` : path;
    for (let round = 0; ; round += 1) {
      const names = await readdir(topPath, { encoding: 'buffer' });
      if (names.length === 0) break;
      if (round === MOST_ROUNDS) throw new FileRefusal(`\`${name}\` cannot be removed: it is filled again and again.`);
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
      if (await isFolder(innerPath))
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

/** A folder that nobody may write to is made one of ours first. */
async function openFolder(path: Buffer): Promise<FileHandle | null> {
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(unlessMissing);
  await handle?.chmod(0o700).catch(() => undefined);
  return handle ?? null;
}

function below(folder: string, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), name]);
}

/** Gone, changed or filled meanwhile: whoever loops looks again. */
function unlessMissing(error: unknown): undefined {
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENOTEMPTY'].includes(errorCode(error) ?? '')) return undefined;
  throw error;
}
