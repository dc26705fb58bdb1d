import { expect, it } from 'vitest';
import type { Slot } from '../../../src/workflows/conversation/slot.js';
import { discount, timeLeft } from '../../../src/workflows/conversation/slot.js';

it('what several turns slept through at once is taken out of the time of their conversation once', () => {
  const now = Date.now();
  // What its time depends on.
  const slot = {
    step: { timeout_ms: 60_000 },
    top: { used_ms: 0 },
    working: 2,
    since: now - 50_000,
    waitedTo: 0,
  } as unknown as Slot;
  discount(slot, [now - 40_000, now - 20_000]);
  discount(slot, [now - 30_000, now - 10_000]);
  discount(slot, [now - 40_000, now - 20_000]);
  expect(slot.top.used_ms).toBe(-30_000);
  expect(Math.round(timeLeft(slot) / 10_000)).toBe(4);
  discount({ ...slot, since: now, waitedTo: 0 }, [now - 40_000, now - 5_000]);
  expect(slot.top.used_ms).toBe(-30_000);
});
