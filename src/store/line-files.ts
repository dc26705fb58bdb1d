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
  const lines = textsIn(path)?.map((text) => lineIn(text));
  return lines?.filter((line) => line !== null) ?? null;
}

/** The numbers of those lines, from 1, that hold something and are none of these. */
export function unreadLines(path: string, isOurs: (line: JsonObject) => boolean): number[] {
  return (textsIn(path) ?? []).flatMap((text, index) => {
    const line = lineIn(text);
    return text.trim() === '' || (line !== null && isOurs(line)) ? [] : [index + 1];
  });
}

function textsIn(path: string): string[] | null {
  try {
    return readTextNow(path).split('\n');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw storeFailure(error, 'read', path);
  }
}

function lineIn(text: string): JsonObject | null {
  try {
    const line = JSON.parse(text) as Json; // JSON.parse gives JSON
    return isObject(line) ? line : null;
  } catch {
    return null;
  }
}
