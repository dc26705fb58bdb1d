import type { Json } from './json.js';
import { asStored, INLINE_BYTES, PREVIEW_CHARACTERS, utf8Bytes } from './json.js';
import { cutTo } from '../text/cut-to.js';

/** The name of a stored value: the SHA-256 of its bytes. */
export type Hash = `sha256:${string}`;

/** A value that stands in the store because it is too big for history (I6). */
export interface StoredValue {
  ref: Hash;
  /** Bytes of its JSON text. */
  bytes: number;
  /** Its head, at most 240 characters; left out where nobody reads it (activity inputs). */
  preview?: string;
  /** Number of items, when the value is a list. */
  length?: number;
  /** Said of a text alone: what is neither that nor a list is an object. */
  type?: 'string';
}

/** A value in flight: itself when its JSON has at most 512 bytes, else where it stands. */
export type Value = { value: Json } | StoredValue;

/** A text of a Plan: itself up to 512 bytes, else the name of the stored string (I2). */
export type Text = string | { text: Hash; bytes: number };

export const NOTHING: Value = { value: null };

export function isStored(value: Value): value is StoredValue {
  return 'ref' in value;
}

/** A value that is known to be small. Values that may be big go through the store instead. */
export function inline(value: Json): Value {
  return { value: asStored(value) };
}

/** Tells whether a value may travel by itself (I6). */
export function fitsInline(value: Json): boolean {
  return utf8Bytes(JSON.stringify(value)) <= INLINE_BYTES;
}

/** The head of a value, for people: at most 240 characters, on the value's own lines. */
export function previewOf(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return cutTo(text, PREVIEW_CHARACTERS);
}

/** A value without its preview: what an activity needs to know, and no byte more in history. */
export function bare(value: Value): Value {
  if (!isStored(value)) return value;
  const { ref, bytes, length } = value;
  return length === undefined ? { ref, bytes } : { ref, bytes, length };
}
