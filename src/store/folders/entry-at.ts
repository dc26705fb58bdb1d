import type { Stats } from 'node:fs';
import { lstatSync } from 'node:fs';

/**
 * What stands at a path, itself and never what a link leads to. Null where nothing does, where the way leads through
 * something that is no folder, or nobody may look: for these Node throws even where it is told not to.
 */
export function entryAt(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
