import { hash } from 'node:crypto';
import type { Hash } from '../plan/values/value.js';

const HASH = /^sha256:[0-9a-f]{64}$/;

/** The SHA-256 of a text in UTF-8, or of bytes, as stored values are named. */
export function sha256(text: string | Buffer): Hash {
  return `sha256:${hash('sha256', text)}`;
}

/** Tells whether something is exactly a hash: only then may it become part of a file's name. */
export function isHash(text: unknown): text is Hash {
  return typeof text === 'string' && HASH.test(text);
}
