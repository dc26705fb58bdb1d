import { createSource } from '../compiler/problems/source.js';
import { parseJson } from '../compiler/text/parse-json.js';
import type { Json } from '../plan/values/json.js';
import { jsonFault } from '../plan/values/json-fault.js';

/** What keeps JSON that a person wrote from being taken, in words that follow "without"; null where nothing does. */
export function jsonTextFault(text: string, value: Json): string | null {
  return jsonFault(value) ?? keyTwice(text);
}

/** Of a key that is written twice only the last value would count, and nobody would see which one that was. */
export function keyTwice(text: string): string | null {
  let found: string | null = null;
  parseJson(createSource('', '', text), ({ code, at }) => {
    if (code === 'duplicate-key') found ??= `a key that is written twice, such as \`${at.path}\``;
  });
  return found;
}
