import { StringDecoder } from 'node:string_decoder';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { cutTo } from '../../plan/text/cut-to.js';

/** A line longer than this is no event of ours: a tool's whole output may stand in one. */
const LINE_CHARACTERS = 32 * 1024 * 1024;
/** What a tool is called with is told in a line. */
const BRIEF_CHARACTERS = 240;

/** Splits a stream of bytes into lines, as whole characters; a line that is too long is left out. */
export function splitLines(onLine: (line: string) => void): { add: (chunk: Buffer) => void; end: () => void } {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let length = 0;

  function finish(): void {
    const line = length > LINE_CHARACTERS ? '' : parts.join('').replace(/\r$/, '');
    parts = [];
    length = 0;
    if (line.trim() !== '') onLine(line);
  }

  function take(text: string): void {
    const [first = '', ...others] = text.split('\n');
    push(first);
    for (const line of others) {
      finish();
      push(line);
    }
  }

  function push(text: string): void {
    length += text.length;
    if (length <= LINE_CHARACTERS) parts.push(text);
    else parts = [];
  }

  return {
    add: (chunk) => take(decoder.write(chunk)),
    end() {
      take(decoder.end());
      finish();
    },
  };
}

/** The event in a line, or null: programs write warnings among them. */
export function eventIn(line: string): JsonObject | null {
  if (!line.startsWith('{')) return null;
  try {
    const value = JSON.parse(line) as Json; // JSON.parse gives JSON
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export function textAt(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}

export function objectAt(object: JsonObject, name: string): JsonObject {
  const value = object[name] ?? null;
  return isObject(value) ? value : {};
}

export function objectsIn(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A value in one line, for a log. */
export function briefly(value: Json): string {
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/g, ' ').trim();
  return cutTo(text, BRIEF_CHARACTERS);
}
