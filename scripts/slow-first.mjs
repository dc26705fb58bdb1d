import { readFileSync } from 'node:fs';
import { BaseSequencer } from 'vitest/node';

/** `// @seconds 50` at the head of a test file: about what it takes on a quiet machine. */
const SECONDS = /^\/\/ @seconds (\d+)$/m;
const HEAD = 200;

/**
 * Has files that say how long they take begin first, the longest before all. Where vitest knows no times, as on a fresh
 * clone, it begins with big files: a short one that takes a minute would begin last, and its tier would end with it
 * alone.
 */
export class SlowFirst extends BaseSequencer {
  async sort(files) {
    const seconds = new Map(
      files.map((file) => [file, Number(SECONDS.exec(readFileSync(file.moduleId, 'utf8').slice(0, HEAD))?.[1] ?? 0)]),
    );
    return (await super.sort(files)).sort((a, b) => seconds.get(b) - seconds.get(a));
  }
}
