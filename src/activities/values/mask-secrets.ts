import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';

const MASK = '…';
/** Shorter pieces of a secret in base 64 would be found everywhere. */
const PIECE_CHARACTERS = 8;

/** Takes secrets out of a text (I13). */
export type Mask = (text: string) => string;

/**
 * Takes these secrets out of a text: as they are written, and in the forms in which programs often show them. The
 * longest form goes first: of two secrets one may begin with the other.
 */
export function maskOf(secrets: Iterable<string>): Mask {
  const forms = [...new Set([...secrets].filter((secret) => secret !== '').flatMap(formsOf))];
  forms.sort((one, other) => other.length - one.length);
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, MASK), text);
}

/** A value with every text in it masked. */
export function maskValue(value: Json, mask: Mask): Json {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask));
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), maskValue(item, mask)]))
    : value;
}

function formsOf(secret: string): string[] {
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    new URLSearchParams([['', secret]]).toString().slice(1),
    ...(['base64', 'base64url'] as const).flatMap((encoding) => [
      Buffer.from(secret).toString(encoding),
      ...[0, 1, 2]
        .map((before) => pieceOf(secret, before, encoding))
        .filter((piece) => piece.length >= PIECE_CHARACTERS),
    ]),
  ];
}

/** What is the same in base 64 whatever stands around a secret (`user:secret`, say): `before` bytes, modulo 3. */
function pieceOf(secret: string, before: number, encoding: 'base64' | 'base64url'): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  return bytes.toString(encoding).slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
}
