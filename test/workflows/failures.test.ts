import { expect, it } from 'vitest';
import { budgetShort } from '../../src/activities/attempt/reservation.js';
import { NONE } from '../../src/plan/budget/amounts.js';
import { shortIn, toldSpend } from '../../src/workflows/failures.js';

const HAD = { ...NONE, steps: 1, nanousd: 2_000_000_000, tokens: 200 };

it.each([
  ['more money', { usd: 2.5, tokens: 0 }, { ...NONE, nanousd: 2_500_000_000 }],
  ['more tokens', { usd: 0, tokens: 201 }, { ...NONE, tokens: 201 }],
  ['what it had', { usd: 2, tokens: 200 }, null],
  ['nobody knows what', { usd: null, tokens: null }, null],
])('a try that was refused because it needs %s is made again with more, or has failed', (_what, needs, short) => {
  // What is not a number is null in JSON.
  const refused = budgetShort('This call may use more.', needs as { usd: number; tokens: number });
  expect(shortIn(refused, HAD)).toEqual(short);
  expect(toldSpend(refused)).toBe(null);
});
