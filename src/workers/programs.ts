import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Env } from './cache-folder.js';

/** The absolute path of a program on the PATH, or null. Relative entries of the PATH do not count. */
export async function onPath(name: string, env: Env): Promise<string | null> {
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return null;
}

/** Whether this is a file that we may run. */
export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
