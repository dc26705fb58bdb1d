import { spendOf } from './allowance.js';
import type { Narration, NarrationLine } from './record.js';

/** What was said of a run, from what is kept beside it; null where nothing was said and nothing asked. */
export function narrationOf(lines: NarrationLine[]): Narration | null {
  if (lines.length === 0) return null;
  return {
    messages: lines.flatMap((line) => {
      if (line.kind !== 'message') return [];
      const { at, task, mood, text, from } = line;
      return [{ at, task, mood, text, from }];
    }),
    lessons: lines.flatMap((line) => {
      if (line.kind !== 'lesson') return [];
      const { at, task, from, concept, headline, explanation, tell_me_more } = line;
      return [{ at, task, from, concept, headline, explanation, tell_me_more }];
    }),
    spend: { narrator: spendOf('narrator', lines), teacher: spendOf('teacher', lines) },
  };
}
