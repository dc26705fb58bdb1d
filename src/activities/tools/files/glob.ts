import { matchesPattern, matchesStars } from '../../../plan/values/wildcard.js';

/** So many patterns may stand in one, by its braces. */
const MOST_PATTERNS = 64;

/**
 * Tells whether a path is as a pattern of files says: `*` stays in a name, `**` takes any folders, `{a,b}` is either. A
 * pattern without a folder is looked for in all of them.
 */
export function matchesFiles(pattern: string, path: string): boolean {
  return expand(pattern.replace(/^\.?\/+/, '')).some((one) =>
    matchesParts(one.includes('/') ? one.split('/') : ['**', one], path.split('/')),
  );
}

function expand(pattern: string): string[] {
  let patterns = [pattern];
  for (let round = 0; round < MOST_PATTERNS; round += 1) {
    const at = patterns.findIndex((one) => /\{[^{}]*\}/.test(one));
    const braced = patterns[at];
    if (braced === undefined || patterns.length > MOST_PATTERNS) break;
    const [whole, inner = ''] = /\{([^{}]*)\}/.exec(braced) ?? [''];
    patterns = [
      ...patterns.slice(0, at),
      ...inner.split(',').map((word) => braced.replace(whole, () => word)),
      ...patterns.slice(at + 1),
    ];
  }
  return patterns;
}

/** As `matchesPattern`, with names for characters and `**` for the star. */
function matchesParts(pattern: string[], parts: string[]): boolean {
  return matchesStars(pattern, parts, (part) => part === '**', matchesPattern);
}
