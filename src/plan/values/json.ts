/** Any JSON-safe value: what Plans, inputs, outputs and histories are made of. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** Values whose JSON is longer than this many UTF-8 bytes are stored and travel as references (I6). */
export const INLINE_BYTES = 512;

/** A preview shows at most this many characters of a stored value (I6). */
export const PREVIEW_CHARACTERS = 240;

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * JSON with object keys in code-unit order and no white space: the text that is hashed, so equal values have equal
 * hashes on every machine. Keys whose value is `undefined` are left out, as in `JSON.stringify`.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = value as Record<string, unknown>; // any other object is read by its keys, as `JSON.stringify` does
  let text = '';
  for (const key of Object.keys(members).sort()) {
    if (members[key] === undefined) continue;
    text += `${text === '' ? '{' : ','}${JSON.stringify(key)}:${canonicalJson(members[key])}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/**
 * A value as whoever reads it from the store has it: members in the order of canonical JSON. Their order shows in texts
 * that are made of a value, so it must not depend on whether that was stored on its way.
 */
export function asStored(value: Json): Json {
  return typeof value === 'object' ? (JSON.parse(canonicalJson(value)) as Json) : value; // JSON of a JSON-safe value
}

/** A value as text inside a template: strings stand as they are, nothing is empty, the rest is JSON with indent 2. */
export function toText(value: Json | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** The number of bytes a string takes in UTF-8. Pure, so that the workflow sandbox can measure without Buffer. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && i + 1 < text.length) {
      bytes += 4;
      i++;
    } else bytes += 3;
  }
  return bytes;
}
