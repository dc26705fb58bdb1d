import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PaidBefore } from '../../../src/plan/budget/paid-before.js';
import { addPaid, notTold } from '../../../src/plan/budget/paid-before.js';
import type { Spend } from '../../../src/plan/budget/spend.js';
import { addSpend, NO_SPEND } from '../../../src/plan/budget/spend.js';

const dollars = fc.nat(1_000);
/** What attempts of one question cost, each at a price that is known or not, and whether it was refused then. */
const attempts = fc.array(
  fc.record({ usd: fc.option(dollars), tokens: fc.integer({ min: 1, max: 1_000 }), tells: fc.boolean() }),
);

it('what is told of a question whenever it is refused, and at its end, is what it has cost, once', () => {
  fc.assert(
    fc.property(attempts, (all) => {
      let whole: Spend = NO_SPEND;
      let counted = 0;
      let paid: PaidBefore | null = null;
      let told: Spend = NO_SPEND;
      const tell = (): void => {
        const more = notTold(whole, counted, paid);
        expect(more.tokens).toBeGreaterThanOrEqual(0);
        told = addSpend(told, more);
        paid = addPaid(paid, { ...more, counted: counted - (paid?.counted ?? 0), ms: 0, waits: 0 });
        // What an attempt reads before it has read the journal is told already.
        expect(notTold(NO_SPEND, 0, paid)).toEqual(NO_SPEND);
      };
      for (const { usd, tokens, tells } of all) {
        whole = addSpend(whole, { usd, tokens, steps: 0 });
        counted += usd ?? 7;
        if (tells) tell();
      }
      tell();
      expect(told.tokens).toBe(whole.tokens);
      expect(told.usd).toBe(whole.usd);
    }),
  );
});
