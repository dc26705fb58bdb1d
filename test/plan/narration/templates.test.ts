import { expect, it } from 'vitest';
import type { HappeningKind } from '../../../src/plan/narration/happening.js';
import { MESSAGE_CHARACTERS, MOODS } from '../../../src/plan/narration/mood.js';
import { templateMessage } from '../../../src/plan/narration/templates.js';
import { happening } from './happenings.js';

const KINDS: HappeningKind[] = ['started', 'output', 'again', 'waiting', 'completed', 'failed', 'committed'];

it.each(KINDS)('has three messages for %s, which take turns and are short whatever things are called', (kind) => {
  const long = { name: 'word \n'.repeat(100), agent: 'B'.repeat(500) };
  const texts = [0, 1, 2, 3].map((turn) => templateMessage(happening(kind, long), turn));
  expect(new Set(texts.map(({ text }) => text)).size).toBe(3);
  expect(texts[3]).toEqual(texts[0]);
  for (const { mood, text } of texts) {
    expect(MOODS).toContain(mood);
    expect(text).not.toMatch(/[\n{}]/);
    expect([...text].length).toBeLessThanOrEqual(MESSAGE_CHARACTERS);
  }
});
