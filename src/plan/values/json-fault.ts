import type { Json } from './json.js';

/** What is nested deeper would overflow the stack of whatever walks it. */
export const MOST_LEVELS = 500;

/**
 * What keeps a parsed value from being passed on, in words that follow "without"; null where nothing does. A number
 * beyond all that JSON can write (`1e400`) would become null, and a longer whole number has become another one.
 */
export function jsonFault(value: Json, levels = MOST_LEVELS): string | null {
  if (typeof value === 'number') return numberFault(value);
  if (typeof value !== 'object' || value === null) return null;
  if (levels === 0) return `more than ${MOST_LEVELS} levels`;
  for (const part of Object.values(value)) {
    const fault = jsonFault(part, levels - 1);
    if (fault !== null) return fault;
  }
  return null;
}

/** Tells whether a value is nested deeper than values may be. */
export function isTooDeep(value: Json, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isTooDeep(part, levels - 1));
}

function numberFault(value: number): string | null {
  if (!Number.isFinite(value)) return 'numbers as large as 1e309';
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? `whole numbers beyond ${Number.MAX_SAFE_INTEGER}, which only a text carries exactly`
    : null;
}
