import { appendFileSync, closeSync, readFileSync } from 'node:fs';
import type { Json } from '../plan/values/json.js';
import { openToAppend } from './files.js';
import { errorCode, storeFailure } from './store-failure.js';

/** Appends a line of JSON; one write, so that lines of several processes do not mix. */
export async function appendLine(path: string, line: Json): Promise<void> {
  try {
    const file = await openToAppend(path);
    try {
      appendFileSync(file, `\n${JSON.stringify(line)}\n`); // The first end is that of a line that a crash has cut.
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw storeFailure(error, 'write', path);
  }
}

/** All whole lines of a file, or null where there is none. What a crash has cut is left out. */
export function readLines(path: string): Json[] | null {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw storeFailure(error, 'read', path);
  }
  return content.split('\n').flatMap((line): Json[] => {
    try {
      return line === '' ? [] : [JSON.parse(line) as Json]; // `appendLine` writes JSON.
    } catch {
      return [];
    }
  });
}
