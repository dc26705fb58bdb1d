import type { Json } from './json.js';
import { jsonFault } from './json-fault.js';
import { keyTwice } from './key-twice.js';

/** What keeps JSON that others wrote from being taken, in words that follow "without"; null where nothing does. */
export function jsonTextFault(text: string, value: Json): string | null {
  return jsonFault(value) ?? keyTwice(text);
}
