import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { refusal } from '../exit-codes.js';

/**
 * Throws a refusal where a link stands on the way to one of these files of a folder, or anything but a file in the
 * place of one: who wrote the folder would have something written elsewhere, or have us wait at a pipe.
 */
export function requireNoLinks(folder: string, files: string[]): void {
  for (const file of files) {
    const parts = file.split('/');
    for (const [index] of parts.entries()) {
      const way = parts.slice(0, index + 1).join('/');
      const found = lstatSync(join(folder, way), { throwIfNoEntry: false });
      if (found === undefined) break;
      const isFolder = index < parts.length - 1;
      if (isFolder ? found.isDirectory() : found.isFile()) continue;
      const what = found.isSymbolicLink() ? 'a link' : isFolder ? 'no folder' : 'no file';
      throw refusal(`\`${way}\` is ${what}: nothing is written there.`, 'Look at it, and take it away.');
    }
  }
}
