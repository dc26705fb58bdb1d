import { appendFileSync, closeSync } from 'node:fs';
import type { Json, JsonObject } from '../plan/values/json.js';
import { isObject } from '../plan/values/json.js';
import { openToAppend } from './files.js';
import { errorCode, storeFailure } from './store-failure.js';
import { readTextNow } from './read-regular.js';

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

/**
 * All whole lines of a file, or null where there is none. What a crash has cut is left out, and what is no object: no
 * line of ours is.
 */
export function readLines(path: string): JsonObject[] | null {
  let content: string;
  try {
    content = readTextNow(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw storeFailure(error, 'read', path);
  }
  return content.split('\n').flatMap((text) => {
    try {
      const line = JSON.parse(text) as Json; // JSON.parse gives JSON
      return isObject(line) ? [line] : [];
    } catch {
      return [];
    }
  });
}
