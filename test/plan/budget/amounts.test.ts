import { describe, expect, it } from 'vitest';
import {
  ENDLESS,
  NONE,
  atMost,
  isNone,
  limited,
  minus,
  plus,
  sum,
  toNanoUsd,
  toUsd,
} from '../../../src/plan/budget/amounts.js';
import { attachedBytes, mostOf } from '../../../src/plan/budget/price.js';
import { NO_SPEND, addSpend, spendSince } from '../../../src/plan/budget/spend.js';

const SOME = { steps: 1, nanousd: 20, tokens: 300, slots: 4 };
const PRICE = { input: 3, output: 15, cache_read: null, cache_write_5m: null, cache_write_1h: null };

describe('amounts of a budget', () => {
  it.each([
    [0.1, 100_000_000],
    [1.1, 1_100_000_000],
    [0.000_000_000_4, 1],
    [0.000_000_001_2, 2],
    [0, 0],
  ])('%d dollars are %i billionths, never less than is meant', (usd, nanousd) => {
    expect(toNanoUsd(usd)).toBe(nanousd);
  });

  it('are counted each by itself', () => {
    expect(toUsd(1_500_000_000)).toBe(1.5);
    expect(plus(SOME, SOME)).toEqual({ steps: 2, nanousd: 40, tokens: 600, slots: 8 });
    expect(minus(SOME, { ...NONE, tokens: 299, slots: 5 })).toEqual({ steps: 1, nanousd: 20, tokens: 1, slots: -1 });
    expect(sum([SOME, SOME, SOME])).toEqual({ steps: 3, nanousd: 60, tokens: 900, slots: 12 });
    expect(sum([])).toEqual(NONE);
    expect(limited((resource) => (resource === 'slots' ? null : SOME[resource]))).toEqual({ ...SOME, slots: null });
  });

  it('are none only where all are', () => {
    expect(isNone(NONE)).toBe(true);
    for (const resource of ['steps', 'nanousd', 'tokens', 'slots'] as const)
      expect(isNone({ ...NONE, [resource]: 1 })).toBe(false);
  });

  it('are cut where a limit is lower, and only there', () => {
    expect(atMost(SOME, { ...ENDLESS, tokens: 7, slots: 9 })).toEqual({ ...SOME, tokens: 7 });
    expect(atMost(SOME, { ...ENDLESS, steps: 0 })).toEqual({ ...SOME, steps: 0 });
  });
});

describe('the most that a call can use', () => {
  it('counts three bytes for a token, and the whole answer', () => {
    expect(mostOf(null, { bytes: 3_001, max_tokens: 500 })).toEqual({ tokens: 1_501, usd: 0 });
    expect(mostOf(PRICE, { bytes: 3_000_000, max_tokens: 100_000 })).toEqual({ tokens: 1_100_000, usd: 4.5 });
  });

  it('has the price of a long prompt as a whole only above its limit', () => {
    const price = { ...PRICE, above: { input_tokens: 1_000, input: 30, output: 150 } };
    expect(mostOf(price, { bytes: 3_000, max_tokens: 0 }).usd).toBe(0.003);
    expect(mostOf(price, { bytes: 3_001, max_tokens: 1_000 }).usd).toBe((1_001 * 30 + 150_000) / 1_000_000);
  });

  it('has files by their tokens', () => {
    expect(attachedBytes()).toBe(0);
    expect(attachedBytes([{ tokens: 100 }, { tokens: 7 }])).toBe(321);
  });
});

describe('what was spent', () => {
  const spend = { usd: 2, tokens: 10, steps: 1 };

  it('adds up, and is unknown where a part of it is', () => {
    expect(addSpend(spend, { usd: 0.5, tokens: 5, steps: 3 })).toEqual({ usd: 2.5, tokens: 15, steps: 4 });
    expect(addSpend(spend, NO_SPEND)).toEqual(spend);
    for (const sum of [addSpend(spend, { ...spend, usd: null }), addSpend({ ...spend, usd: null }, spend)])
      expect(sum).toEqual({ usd: null, tokens: 20, steps: 2 });
  });

  it('is told since a moment, and unknown where it is or was', () => {
    const now = { usd: 3, tokens: 25, steps: 5 };
    expect(spendSince(spend, now)).toEqual({ usd: 1, tokens: 15, steps: 4 });
    for (const since of [spendSince(spend, { ...now, usd: null }), spendSince({ ...spend, usd: null }, now)])
      expect(since).toEqual({ usd: null, tokens: 15, steps: 4 });
  });
});
