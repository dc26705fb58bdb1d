import type { Hash } from '../values/value.js';

const PREFIX = 'sha256:';
/** Base 64 for URLs (RFC 4648, section 5). */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const ZERO = 'A';
const NINE = '9'.charCodeAt(0);
const SMALL_A = 'a'.charCodeAt(0);
const HEX_DIGITS = 64;
const SHORT_DIGITS = 43;

/** A hash in 43 characters instead of 71, for what travels into history at every step. Other texts stay as they are. */
export function shortHash(hash: Hash): string {
  if (!/^sha256:[0-9a-f]{64}$/.test(hash)) return hash;
  let short = '';
  for (let at = PREFIX.length; at < hash.length; at += 3) {
    const bits = (hexDigit(hash, at) << 8) | (hexDigit(hash, at + 1) << 4) | hexDigit(hash, at + 2);
    short += DIGITS.charAt(bits >> 6) + DIGITS.charAt(bits & 63);
  }
  return short.slice(0, SHORT_DIGITS); // The last digit would say nothing.
}

/** The value of the digit at a place; beyond the end NaN, which is 0 where bits are put together. */
function hexDigit(hash: string, at: number): number {
  const code = hash.charCodeAt(at);
  return code <= NINE ? code - NINE + 9 : code - SMALL_A + 10;
}

/** Tells whether a text has the form that `shortHash` gives a hash. */
export function isShortHash(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** The inverse of `shortHash`. */
export function longHash(short: string): Hash {
  if (short.startsWith(PREFIX)) return short as Hash; // what `shortHash` left as it was
  const groups: string[] = [];
  for (let at = 0; at < short.length; at += 2) {
    const bits = (DIGITS.indexOf(short.charAt(at)) << 6) | DIGITS.indexOf(short.charAt(at + 1) || ZERO);
    groups.push(bits.toString(16).padStart(3, '0'));
  }
  return `${PREFIX}${groups.join('').slice(0, HEX_DIGITS)}`;
}
