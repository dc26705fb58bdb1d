import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { refuseIfShort } from '../../../src/activities/attempt/reservation.js';
import { toNanoUsd, toUsd } from '../../../src/plan/budget/amounts.js';

/** What a call costs of so many tokens, in US dollars. */
const cost = fc.tuple(fc.nat(200_000), fc.nat(32_000)).map(([input, output]) => (input * 3 + output * 15) / 1e6);

it('a call of which nobody can say what it needs is not refused for that', () => {
  expect(() => refuseIfShort({ usd: Number.NaN, tokens: Number.NaN }, { usd: 1, tokens: 1 })).not.toThrow();
});

it('a call that needs more than was reserved is made once that is reserved, as the interpreter does it', () => {
  const before = { usd: 0.043008 + 0.500178, tokens: 1 };
  expect(() => refuseIfShort(before, { usd: 0.5, tokens: 1 })).toThrow('more than was reserved');
  fc.assert(
    fc.property(fc.array(cost, { minLength: 1, maxLength: 5 }), (costs) => {
      const usd = costs.reduce((sum, one) => sum + one, 0);
      expect(() => refuseIfShort({ usd, tokens: 0 }, { usd: toUsd(toNanoUsd(usd)) })).not.toThrow();
      const less = toUsd(toNanoUsd(usd) - 1);
      if (usd > 0) expect(() => refuseIfShort({ usd, tokens: 0 }, { usd: less })).toThrow();
    }),
  );
});
