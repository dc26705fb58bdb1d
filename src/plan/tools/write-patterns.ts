import type { Permissions } from './permission.js';

const WRITE = 'write:';

/**
 * Patterns by which writing a path is denied or asked about, its makers' too; with `asked` those alone by which it is
 * denied. What is asked about every write asks about those of tools: a command that needs no question may write, or it
 * could test nothing. Pure: what they fit is looked up where commands run.
 */
export function writePatterns(permissions: Permissions, { asked }: { asked: boolean }): string[] {
  const { deny, ask, asking, within = [] } = permissions;
  const asks = asked || asking === 'allow' ? [] : ask.filter((pattern) => !isWhole(pattern));
  const own = [...deny, ...asks].filter(mayFit);
  return [...new Set([...own, ...within.flatMap((bound) => writePatterns(bound, { asked }))])];
}

/** Tells whether there may be a path whose writing fits a pattern of actions. */
function mayFit(pattern: string): boolean {
  const [start = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === 'write' || pattern.startsWith(WRITE);
  return start.startsWith(WRITE) || WRITE.startsWith(start);
}

/** Tells whether a pattern is about every path. */
function isWhole(pattern: string): boolean {
  return pattern === 'write' || (pattern.endsWith('*') && WRITE.startsWith(pattern.replace(/\*+$/, '')));
}
