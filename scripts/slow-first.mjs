import { BaseSequencer } from 'vitest/node';
import { secondsOf } from './tiers.mjs';

/**
 * Has files that say how long they take begin first, the longest before all. Where vitest knows no times, as on a fresh
 * clone, it begins with big files: a short one that takes a minute would begin last, and its tier would end with it
 * alone.
 */
export class SlowFirst extends BaseSequencer {
  async sort(files) {
    const seconds = new Map(files.map((file) => [file, secondsOf(file.moduleId)]));
    return (await super.sort(files)).sort((a, b) => seconds.get(b) - seconds.get(a));
  }
}
