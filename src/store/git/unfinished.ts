import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes what calls of git on a repository of ours left half-written when they were killed, once it is older than a
 * call may take, in milliseconds: nobody else does, and a large file would stay each time. What cannot be removed
 * stays.
 */
export async function removeUnfinished(repository: string, olderThanMs: number): Promise<void> {
  const objects = join(repository, 'objects');
  const folders = [objects, ...(await namesIn(objects)).map((name) => join(objects, name))];
  for (const folder of folders.filter((path) => path === objects || /\/(?:pack|[\da-f]{2})$/.test(path)))
    for (const name of (await namesIn(folder)).filter((one) => one.startsWith('tmp_'))) {
      const file = join(folder, name);
      const found = await stat(file).catch(() => null);
      if (found?.isFile() === true && Date.now() - found.mtimeMs > olderThanMs)
        await rm(file, { force: true }).catch(() => undefined); // a convenience: the disk may be read-only by now
    }
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
