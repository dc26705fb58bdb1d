import type { Json } from '../plan/values/json.js';
import { jsonFault } from '../plan/values/json-fault.js';
import { keyTwice } from '../plan/values/key-twice.js';

/** What keeps JSON that a person wrote from being taken, in words that follow "without"; null where nothing does. */
export function jsonTextFault(text: string, value: Json): string | null {
  return jsonFault(value) ?? keyTwice(text);
}
