import { isObject } from '../values/json.js';
import type { Json } from '../values/json.js';
import { isShortHash, longHash, shortHash } from './short-hash.js';
import type { StoredValue, Value } from '../values/value.js';
import { isStored } from '../values/value.js';

/** A stored value as it travels into history at every step: its name and size, and what else is known of it. */
export type ShortStored = [ref: string, bytes: number, more?: Pick<StoredValue, 'preview' | 'length' | 'type'>];
export type ShortValue = Value | ShortStored;

/** Shortens a stored value; others stay as they are. */
export function shortValue(value: Value): ShortValue {
  return isStored(value) ? shortStored(value) : value;
}

export function shortStored({ ref, bytes, ...more }: StoredValue): ShortStored {
  return Object.keys(more).length === 0 ? [shortHash(ref), bytes] : [shortHash(ref), bytes, more];
}

/** Tells whether JSON has the form of a stored value in history. */
export function isShortStored(value: Json): boolean {
  if (!Array.isArray(value) || value.length < 2 || value.length > 3) return false;
  const [ref, bytes, more = {}] = value;
  return typeof ref === 'string' && isShortHash(ref) && typeof bytes === 'number' && isObject(more);
}

/** The inverse of `shortValue`. */
export function longValue(value: ShortValue): Value {
  return Array.isArray(value) ? longStored(value) : value;
}

export function longStored([ref, bytes, more]: ShortStored): StoredValue {
  return { ref: longHash(ref), bytes, ...more };
}
