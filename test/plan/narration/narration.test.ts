import { expect, it } from 'vitest';
import { keyOf } from '../../../src/plan/narration/happening.js';
import { narrationOf } from '../../../src/plan/narration/narration.js';
import type { NarrationLine } from '../../../src/plan/narration/record.js';
import { templateMessage } from '../../../src/plan/narration/templates.js';
import { happening } from './happenings.js';

const at = '2026-11-25T10:00:00.000Z';
const lines: NarrationLine[] = [
  { at, key: 'a started', kind: 'asked', by: 'narrator', most: { usd: 1, tokens: 9 } },
  { at, key: 'a started', kind: 'answered', by: 'narrator', spend: { usd: 0.5, tokens: 4 } },
  { at, key: 'a started', kind: 'message', task: 'a', mood: 'excited', text: 'Go!', from: 'model' },
  { at, key: 'b', kind: 'asked', by: 'teacher', most: { usd: 1, tokens: 9 } },
  {
    ...{ at, key: 'a committed', kind: 'lesson', task: 'a', from: 'curriculum' },
    ...{ concept: 'c', headline: 'h', explanation: 'e', tell_me_more: 't' },
  },
];

it('tells what was said of a run, without what was asked, and what each has cost', () => {
  expect(narrationOf(lines)).toEqual({
    messages: [{ at, task: 'a', mood: 'excited', text: 'Go!', from: 'model' }],
    lessons: [
      {
        ...{ at, task: 'a', from: 'curriculum' },
        ...{ concept: 'c', headline: 'h', explanation: 'e', tell_me_more: 't' },
      },
    ],
    spend: { narrator: { usd: 0.5, tokens: 4, steps: 1 }, teacher: { usd: null, tokens: 9, steps: 1 } },
  });
  expect(narrationOf([])).toBeNull();
});

it('knows the same happening again, and what an agent says by when it said it', () => {
  expect(keyOf(happening('started', { task: 'a', at: 1 }))).toBe(keyOf(happening('started', { task: 'a', at: 2 })));
  expect(keyOf(happening('started', { task: 'a' }))).not.toBe(keyOf(happening('started', { task: 'b' })));
  expect(keyOf(happening('started'))).not.toBe(keyOf(happening('completed')));
  expect(keyOf(happening('output', { at: 1 }))).not.toBe(keyOf(happening('output', { at: 2 })));
});

it('names who works on what in a message, one line of it', () => {
  const { text } = templateMessage(happening('started', { agent: ' Bo\n Lee ', name: 'Set {agent} up' }), 0);
  expect(text).toContain('Bo Lee starts with “Set {agent} up”');
  const long = templateMessage(happening('started', { name: 'x'.repeat(61) }), 0).text;
  expect(long).toContain(`“${'x'.repeat(59)}…”`);
  expect(templateMessage(happening('started', { name: 'x'.repeat(60) }), 0).text).toContain(`“${'x'.repeat(60)}”`);
  expect(templateMessage(happening('failed'), 0).mood).toBe('concerned');
  expect(templateMessage(happening('committed'), 0)).toEqual(templateMessage(happening('completed'), 0));
});
