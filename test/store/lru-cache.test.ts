import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLruCache } from '../../src/store/lru-cache.js';

it('keeps what was used last, as much as weighs no more than its limit', () => {
  const act = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd'),
    weight: fc.option(fc.nat(6), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
      const cache = createLruCache<number>(5);
      let kept: { key: string; value: number; weight: number }[] = []; // the last used at the end
      for (const [value, { key, weight }] of acts.entries()) {
        const known = kept.find((one) => one.key === key);
        kept = kept.filter((one) => one !== known);
        if (weight === undefined) {
          expect(cache.get(key)).toBe(known?.value);
          if (known !== undefined) kept.push(known);
        } else {
          cache.set(key, value, weight);
          if (weight <= 5) kept.push({ key, value, weight });
          while (kept.reduce((sum, one) => sum + one.weight, 0) > 5) kept.shift();
        }
      }
      for (const { key, value } of kept) expect(cache.get(key)).toBe(value);
    }),
    { numRuns: 500 },
  );
});
