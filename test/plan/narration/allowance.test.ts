import { describe, expect, it } from 'vitest';
import { ALLOWANCES, isAllowed, spendOf } from '../../../src/plan/narration/allowance.js';
import type { NarrationLine, Teller, Use } from '../../../src/plan/narration/record.js';

const at = '2026-11-25T10:00:00.000Z';
const asked = (key: string, most: Use, by: Teller = 'narrator'): NarrationLine => ({
  kind: 'asked',
  at,
  key,
  by,
  most,
});
const answered = (key: string, usd: number | null, tokens: number, by: Teller = 'narrator'): NarrationLine => ({
  kind: 'answered',
  at,
  key,
  by,
  spend: { usd, tokens },
});
const { usd, tokens } = ALLOWANCES.narrator;

describe('the allowance of a narrator', () => {
  it.each<[string, NarrationLine[], Use, boolean]>([
    ['allows what fits', [], { usd, tokens }, true],
    ['refuses a call that may cost more', [], { usd: usd + 0.001, tokens: 1 }, false],
    ['refuses a call of too many tokens', [], { usd: 0, tokens: tokens + 1 }, false],
    [
      'counts what a call cost',
      [asked('a', { usd, tokens }), answered('a', 0.01, 100)],
      { usd: 0.05, tokens: 1 },
      true,
    ],
    [
      'counts what was asked and not answered as it may be',
      [asked('a', { usd, tokens: 1 })],
      { usd: 0.01, tokens: 1 },
      false,
    ],
    [
      'counts an unknown price as it may be',
      [asked('a', { usd, tokens: 1 }), answered('a', null, 1)],
      { usd: 0.01, tokens: 1 },
      false,
    ],
    ['counts tokens that may be used', [asked('a', { usd: 0, tokens })], { usd: 0, tokens: 1 }, false],
    [
      'counts no answer that the teacher got to the same',
      [asked('a', { usd, tokens: 1 }), answered('a', 0, 0, 'teacher')],
      { usd: 0.01, tokens: 1 },
      false,
    ],
    ['leaves the teacher its own', [asked('a', { usd, tokens }, 'teacher')], { usd, tokens }, true],
  ])('%s', (_title, lines, most, expected) => {
    expect(isAllowed('narrator', lines, most, ALLOWANCES)).toBe(expected);
  });

  it('is what a config gives, and none for 0', () => {
    const of = { ...ALLOWANCES, narrator: { usd: 0, tokens: 0 } };
    expect(isAllowed('narrator', [], { usd: 0.001, tokens: 1 }, of)).toBe(false);
    expect(isAllowed('teacher', [], { usd: 0.001, tokens: 1 }, of)).toBe(true);
  });
});

it('tells what each has cost, and that nobody knows what a call cost that was cut off', () => {
  const lines = [asked('a', { usd: 1, tokens: 9 }), answered('a', 0.02, 5), asked('b', { usd: 1, tokens: 9 })];
  expect(spendOf('narrator', lines.slice(0, 2))).toEqual({ usd: 0.02, tokens: 5, steps: 1 });
  expect(spendOf('narrator', lines)).toEqual({ usd: null, tokens: 14, steps: 2 });
  expect(spendOf('teacher', lines)).toEqual({ usd: 0, tokens: 0, steps: 0 });
});
