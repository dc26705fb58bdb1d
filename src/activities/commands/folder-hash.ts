import { createHash, randomUUID } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isStateFolder } from '../../store/folders/state-folders.js';
import { noFile } from '../../store/read-regular.js';

/** So many files and folders below one that a command names are compared. */
const MOST_ENTRIES = 10_000;

/** What is the same as nothing, not even as itself: nobody can tell whether it has changed. */
export function incomparable(): string {
  return `unknown ${randomUUID()}`;
}

/**
 * SHA-256 of all names and files below a folder, in hexadecimal; links count as where they point to, and are not
 * followed. What git or Perdure keep in it does not count. `incomparable` for more than `most` entries. Throws a
 * `StoreFailure` where it cannot be read now.
 */
export async function folderHash(
  folder: string,
  fileHash: (path: string) => Promise<string | null>,
  most = MOST_ENTRIES,
): Promise<string> {
  const hash = createHash('sha256');
  const open = [''];
  let left = most;
  for (let below = open.pop(); below !== undefined; below = open.pop()) {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch((error: unknown) =>
      noFile(error, join(folder, below)),
    );
    left -= entries?.length ?? 0;
    if (left < 0) return incomparable();
    for (const entry of (entries ?? []).sort((one, other) => (one.name < other.name ? -1 : 1))) {
      const path = join(below, entry.name);
      const whole = join(folder, path);
      if (entry.isDirectory() && (entry.name === '.git' || isStateFolder(whole))) continue;
      if (entry.isDirectory()) open.push(path);
      hash.update(JSON.stringify([path, await contentOf(entry, whole, fileHash)]));
    }
  }
  return hash.digest('hex');
}

async function contentOf(
  entry: Dirent,
  path: string,
  fileHash: (path: string) => Promise<string | null>,
): Promise<string | null> {
  if (entry.isFile()) return fileHash(path);
  if (entry.isSymbolicLink())
    return `-> ${(await readlink(path).catch((error: unknown) => noFile(error, path))) ?? ''}`;
  return entry.isDirectory() ? 'folder' : 'other';
}
