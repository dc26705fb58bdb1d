import { createHash } from 'node:crypto';
import { canonicalJson, INLINE_BYTES, utf8Bytes } from '../plan/values/json.js';
import type { Hash, Text } from '../plan/values/value.js';

/** SHA-256 of a value's canonical JSON. */
export function hashOf(value: unknown): Hash {
  return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;
}

/** Texts over 512 bytes of JSON, by their hash: the submitter stores them, the Plan names them (I2). */
export type Texts = Map<Hash, string>;

/** A text as a Plan holds it: itself, or its hash once it is kept in `texts`. */
export function keepText(text: string, texts: Texts): Text {
  const bytes = utf8Bytes(JSON.stringify(text));
  if (bytes <= INLINE_BYTES) return text;
  const hash = hashOf(text);
  texts.set(hash, text);
  return { text: hash, bytes };
}
