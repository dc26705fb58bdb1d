import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * The absolute path of a program, or null. Relative folders of PATH are skipped: they would depend on where one stands.
 */
export function findOnPath(name: string, path: string): string | null {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, name);
    if (folder.startsWith('/') && isExecutable(file)) return file;
  }
  return null;
}

/** Where systems have their programs: no workspace is there, whatever PATH says. */
const SYSTEM_PATH = ['/usr/bin', '/usr/local/bin', '/bin', '/opt/homebrew/bin', '/run/current-system/sw/bin'];

/** The absolute path of a program of the system, or null. */
export function systemProgram(name: string): string | null {
  return findOnPath(name, SYSTEM_PATH.join(delimiter));
}

/**
 * Tells whether this is a file that we may run. Synchronous: a look takes microseconds, a trip through the thread pool
 * for each folder of PATH takes longer than a small program.
 */
export function isExecutable(file: string): boolean {
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
