import { ID } from '../../../plan/names.js';
import { latinOf } from '../../../plan/text/latin.js';

/** A text as an id or a name of ours: `Code Reviewer!` is `code-reviewer`; what begins otherwise gets `before`. */
export function slug(text: string, before: string): string {
  const plain = latinOf(text)
    .replace(/[^A-Za-z0-9_]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const named = /^[A-Za-z]/.test(plain) ? plain : `${before}-${plain}`;
  return named.slice(0, 60).replace(/-+$/, '');
}

/** An id of ours for one of another tool: the same where it is one, and none that is taken already. */
export function freeId(wanted: string, taken: ReadonlySet<string>): string {
  const id = ID.test(wanted) ? wanted : slug(wanted, 'step');
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? id : `${id.slice(0, 58)}-${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** A variable of the environment for some words. */
export function variableOf(...words: string[]): string {
  const name = words
    .join('_')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
  return /^[0-9]/.test(name) ? `_${name}` : name;
}
