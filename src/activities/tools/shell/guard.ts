import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What cannot be mounted because it is not there must not be made by a command either: it is looked for again at its
 * end, when nothing of it is alive, and removed. Gives the paths that were made.
 */
export async function guardMissing(workspace: string, paths: string[]): Promise<() => Promise<string[]>> {
  const missing = (await Promise.all(paths.map(async (path) => ((await isThere(join(workspace, path))) ? [] : [path])))).flat();
  return async () => {
    const made: string[] = [];
    for (const path of missing) {
      if (!(await isThere(join(workspace, path)))) continue;
      await rm(join(workspace, path), { recursive: true, force: true });
      made.push(path);
    }
    return made;
  };
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(() => true, () => false);
}
