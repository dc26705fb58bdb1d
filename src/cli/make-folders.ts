import { mkdirSync, statSync } from 'node:fs';
import { makeEach } from '../store/folders/root.js';

/** A person's folder has the rights that their umask leaves, as those that they make themselves. */
const USUAL_RIGHTS = 0o777;

/** Makes a folder of a person's and those above it that are not there. Throws the system's error. */
export function makeFolders(folder: string): void {
  makeEach(folder, USUAL_RIGHTS);
  // Where something else stands the system says so.
  if (!statSync(folder).isDirectory()) mkdirSync(folder);
}
