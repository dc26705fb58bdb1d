import { describe, expect, it } from 'vitest';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import { parseLimits, settleLimits, settlePolicy } from '../../../src/cli/submit/limits.js';

describe('limits', () => {
  it('leaves a limit unset that the format has none of, until somebody sets it', () => {
    expect(settleLimits({ no_default: ['max_runtime_mins'] }, undefined).max_runtime_mins).toBe(null);
    expect(settleLimits({ no_default: ['max_runtime_mins'] }, { max_runtime_mins: 5 }).max_runtime_mins).toBe(5);
  });

  it('that are set hold at the smallest, and a default only where none is set', () => {
    expect(settleLimits({}, { max_steps: 40 }, { max_steps: 30, max_cost_usd: 2 }, undefined)).toEqual({
      ...NO_BUDGETS,
      max_steps: 30,
      max_cost_usd: 2,
      max_parallel: 10,
      max_runtime_mins: 30,
    });
  });

  it.each(['0', '-1', 'NaN', '1e309', 'five', '1.5', ''])('of steps are refused when they are `%s`', (typed) => {
    expect(() => parseLimits((flag) => (flag === 'max-steps' ? typed : null))).toThrow(
      '`--max-steps` to be a positive whole number',
    );
  });

  it.each(['525601', '99999999999999999'])('of run time are refused when they are %s minutes', (typed) => {
    expect(() => parseLimits((flag) => (flag === 'max-runtime-mins' ? typed : null))).toThrow(
      'at most a year (525600)',
    );
  });

  it('do at their end what the definition says, else the config', () => {
    expect(
      settlePolicy({ max_steps: 'stop' }, { max_steps: 'pause', max_tokens: { degrade: 'haiku' } }, undefined),
    ).toEqual({ max_steps: 'stop', max_tokens: { degrade: 'haiku' } });
  });
});
