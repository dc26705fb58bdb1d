import { z } from 'zod';
import { matchesPattern, matchesStars } from '../../../plan/values/wildcard.js';

/** So many patterns may stand in one, by its braces. */
const MOST_PATTERNS = 64;
/** A pattern of files, as models write one. */
export const filePattern = z.string().min(1).max(1_000);
/** What is said of one with too many braces. */
export const TOO_MANY_PATTERNS = `Expected a pattern whose braces stand for at most ${MOST_PATTERNS} others.`;

/**
 * Reads a pattern of files, and tells of a path whether it is so: `*` stays in a name, `**` takes any folders, `{a,b}`
 * is either. A pattern without a folder is looked for in all of them. Null where its braces stand for too many.
 */
export function fileMatcher(pattern: string): ((path: string) => boolean) | null {
  const patterns = expand(pattern.replace(/^\.?\/+/, ''));
  const parts = patterns?.map((one) => (one.includes('/') ? one.split('/') : ['**', one])) ?? null;
  return parts === null ? null : (path) => parts.some((one) => matchesParts(one, path.split('/')));
}

function expand(pattern: string): string[] | null {
  const done: string[] = [];
  const left = [pattern];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    const braced = one;
    const [whole, inner = ''] = /\{([^{}]*)\}/.exec(braced) ?? [];
    if (whole === undefined) done.push(braced);
    else left.push(...inner.split(',').map((word) => braced.replace(whole, () => word)));
    if (done.length + left.length > MOST_PATTERNS) return null;
  }
  return done;
}

/** As `matchesPattern`, with names for characters and `**` for the star. */
function matchesParts(pattern: string[], parts: string[]): boolean {
  return matchesStars(pattern, parts, (part) => part === '**', matchesPattern);
}
