import { describe, expect, it } from 'vitest';
import { withinTime } from '../../../src/activities/values/timed-script.js';

/** Time passes while nothing is computed here, as on a machine that computes for others. */
function stands(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

describe('what has a limit of time', () => {
  it('is ended where it computes without end', () => {
    expect(
      withinTime(20, () => {
        for (;;);
      }),
    ).toBe('slow');
  });

  it('begins anew, with more time, where others had the machine', () => {
    let begun = 0;
    const act = (): number => {
      stands(300);
      return (begun += 1);
    };
    expect(withinTime(200, act)).toEqual({ value: 1 });
  });

  it('is ended where even that is not enough', () => {
    expect(withinTime(50, () => stands(100_000))).toBe('slow');
  });
});
