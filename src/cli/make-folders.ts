import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../store/store-failure.js';

/**
 * Makes a folder and those above it that are not there. Throws the system's error. They are made one by one: Node's
 * own recursive `mkdir` never comes back where a file system makes none and says `ENOENT`, as `/proc` does.
 */
export function makeFolders(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  try {
    mkdirSync(folder);
  } catch (error) {
    const above = dirname(folder);
    if (errorCode(error) !== 'ENOENT' || statSync(above, { throwIfNoEntry: false }) !== undefined) throw error;
    makeFolders(above);
    makeFolders(folder);
  }
}
