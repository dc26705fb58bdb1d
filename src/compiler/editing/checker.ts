import type { Problem } from '../problems/problem.js';
import { withOverlay } from '../text/disk.js';
import { validatePaths } from '../validate.js';

/** Finds the problems of one file again and again while its text, and those of others, are being written. */
export interface Checker {
  /**
   * What `perdure validate` says of the file where the files in `texts`, by absolute path, hold these texts: problems
   * of the file, and of those that it reaches.
   */
  check: (texts: ReadonlyMap<string, string>) => Problem[];
}

/** A checker of one file; problems name files relative to `cwd`, whose project is taken. */
export function createChecker(file: string, cwd: string): Checker {
  return {
    check: (texts) => withOverlay({ texts }, () => validatePaths([file], cwd).problems),
  };
}
