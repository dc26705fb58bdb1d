import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Quota, QuotaDay } from '../../../src/plan/budget/quota.js';
import { UNUSED, dayOf, endOfDay, hold, settleHold, takenOn } from '../../../src/plan/budget/quota.js';

const NANO = 1e9;
const call = (usd: number, user = 'ana', before = 0) => ({ user, nanousd: usd * NANO, before: before * NANO });
const held = (day: QuotaDay, key: string, wanted: ReturnType<typeof call>, quota: Quota): QuotaDay => {
  const taken = hold(day, key, wanted, quota);
  if ('lack' in taken) throw new Error(`Expected room, got ${JSON.stringify(taken.lack)}`);
  return taken.day;
};

describe('the quota of a day', () => {
  const quota = { usd: 10, user_usd: 4 };

  it('sets aside what a call may cost, and counts what it has cost', () => {
    const one = held(UNUSED, 'a', call(3), quota);
    expect(takenOn(one, null)).toEqual({ used: 0, held: 3 * NANO });
    expect(hold(one, 'b', call(2), quota)).toMatchObject({ lack: { limit: 'user', left: NANO, mayReturn: true } });
    const two = settleHold(one, 'a', NANO);
    expect(takenOn(two, 'ana')).toEqual({ used: NANO, held: 0 });
    expect(hold(two, 'b', call(3.5), quota)).toMatchObject({ lack: { limit: 'user', mayReturn: false } });
    expect(takenOn(held(two, 'b', call(3), quota), null)).toEqual({ used: NANO, held: 3 * NANO });
  });

  it('keeps what a call has that begins again, and counts what its question has cost since it first began', () => {
    const one = held(UNUSED, 'a', call(3, 'ana', 1), quota);
    const again = held(one, 'a', call(2, 'ana', 1.5), quota);
    expect(takenOn(again, null).held).toBe(3 * NANO);
    expect(takenOn(settleHold(again, 'a', 2 * NANO), null)).toEqual({ used: NANO, held: 0 });
  });

  it('counts what nobody knows as it was set aside, and nothing twice', () => {
    const one = settleHold(held(UNUSED, 'a', call(3), quota), 'a', null);
    expect(takenOn(one, null)).toEqual({ used: 3 * NANO, held: 0 });
    expect(settleHold(one, 'a', NANO)).toEqual(one);
  });

  it('takes any name for a user, and one that nobody limits', () => {
    const names = ['__proto__', 'constructor', ''];
    const day = names.reduce((known, name) => held(known, name, call(4, name), { usd: null, user_usd: 4 }), UNUSED);
    for (const name of names) {
      expect(takenOn(day, name).held).toBe(4 * NANO);
      expect(hold(day, 'more', call(1, name), { usd: null, user_usd: 4 })).toHaveProperty('lack');
    }
  });

  it('ends at midnight, UTC', () => {
    const late = Date.parse('2026-11-26T23:59:59.999Z');
    expect([dayOf(late), endOfDay(late) - late]).toEqual(['2026-11-26', 1]);
    expect([dayOf(late + 1), endOfDay(late + 1) - late - 1]).toEqual(['2026-11-27', 86_400_000]);
  });

  it('is never passed, whatever calls of whomever begin, begin again, end and are lost in any order', () => {
    const act = fc.record({
      key: fc.integer({ min: 0, max: 9 }),
      user: fc.constantFrom('ana', 'bo'),
      usd: fc.integer({ min: 0, max: 50 }),
      share: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
      begins: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        let day = UNUSED;
        for (const { key, user, usd, share, begins } of acts) {
          const name = `${user} ${key}`;
          const known = day.held[name]?.nanousd ?? 0;
          if (!begins) day = settleHold(day, name, share === null ? null : Math.floor(known * share));
          else {
            const taken = hold(day, name, { user, nanousd: Math.round((usd * NANO) / 10), before: 0 }, quota);
            if ('day' in taken) day = taken.day;
          }
          const { used, held: open } = takenOn(day, null);
          expect(used + open).toBeLessThanOrEqual(10 * NANO);
          for (const one of ['ana', 'bo'])
            expect(takenOn(day, one).used + takenOn(day, one).held).toBeLessThanOrEqual(4 * NANO);
        }
      }),
    );
  });
});
