import { describe, expect, it } from 'vitest';
import { NO_BUDGETS } from '../../src/plan/plan.js';
import { parseLimits, settleLimits, unenforcedNote } from '../../src/cli/submit/limits.js';

describe('limits', () => {
  it('that are set hold at the smallest, and a default only where none is set', () => {
    expect(settleLimits({ max_steps: 40 }, { max_steps: 30, max_cost_usd: 2 }, undefined)).toEqual({ ...NO_BUDGETS, max_steps: 30, max_cost_usd: 2, max_parallel: 10, max_runtime_mins: 30 });
  });

  it.each(['0', '-1', 'NaN', '1e309', 'five', '1.5', ''])('of steps are refused when they are `%s`', (typed) => {
    expect(() => parseLimits((flag) => (flag === 'max-steps' ? typed : null))).toThrow('`--max-steps` to be a positive whole number');
  });

  it('that nothing holds yet are named to whoever set one', () => {
    expect(unenforcedNote({ max_cost_usd: 1 }, { max_steps: 5, max_parallel: 2 }, undefined)).toBe('Note: `max_steps`, `max_cost_usd` are shown, but this version does not stop a run at them.');
    expect(unenforcedNote(NO_BUDGETS, { max_parallel: 2 })).toBeNull();
  });
});
