import { describe, expect, it } from 'vitest';
import { inputFor, limitsFor } from '../../../src/cli/submit/rerun/rerun-input.js';
import { DEFAULT_BUDGETS, NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { InputSpec } from '../../../src/plan/step.js';
import type { Json } from '../../../src/plan/values/json.js';
import type { Value } from '../../../src/plan/values/value.js';
import { plan } from '../../plan/helpers/build-plan.js';

const given: InputSpec = { type: 'string', description: null, required: true };
const taking = (inputs: Plan['inputs']): Plan => plan([], { name: 'ship', inputs });

/** The input of a rerun of a run that had this one. */
const again = (had: Json, before: Plan['inputs'], now: Plan['inputs']): Promise<Record<string, Value>> =>
  inputFor(
    { record: { run: 'r', input: { x: { value: had } } }, before: taking(before), plan: taking(now) },
    { get: () => Promise.reject(new Error('nothing is stored')) },
  );

describe('the input of a rerun', () => {
  it('is what the run was given', async () => {
    expect(await again('a', { x: given }, { x: given })).toEqual({ x: { value: 'a' } });
    expect(await again(5, { x: { ...given, type: 'number' } }, { x: { ...given, type: 'integer' } })).toEqual({
      x: { value: 5 },
    });
  });

  it('is refused where the definition does not take it any more', async () => {
    await expect(
      again('staging', { x: given }, { y: { ...given, required: false, default: 'production' } }),
    ).rejects.toThrow('The definition `ship` has no input `x` any more, which `r` was given.');
  });

  it('is refused where it is of another type now', async () => {
    await expect(again('abc', { x: given }, { x: { ...given, type: 'integer' } })).rejects.toThrow(
      'Expected the input `x` to be a whole number now, `r` was given `"abc"`.',
    );
  });

  it('is a default of today where nobody had given it', async () => {
    const old = { x: { ...given, required: false, default: '1' } };
    expect(await again('1', old, { x: { ...given, type: 'integer', required: false, default: 1 } })).toEqual({
      x: { value: 1 },
    });
    expect(await again('1', old, {})).toEqual({});
    await expect(again('1', old, { x: { ...given, type: 'integer' } })).rejects.toThrow('has come to need `x`');
  });
});

describe('limits of a rerun', () => {
  const before = plan([], { budgets: { ...NO_BUDGETS, max_steps: 20, max_cost_usd: 2 } });
  const had = { ...DEFAULT_BUDGETS, max_steps: 20, max_cost_usd: 2 };
  const config = { workflows: { budgets: { max_tokens: 500 } } };

  it('are those that the run was given, and not those that its definition or the project had', () => {
    const budget = { ...had, max_steps: 7, max_runtime_mins: 3, max_tokens: 500 };
    expect(limitsFor(NO_BUDGETS, { budget }, before, config)).toEqual({
      ...NO_BUDGETS,
      max_steps: 7,
      max_runtime_mins: 3,
    });
  });

  it('are those that are typed before all others', () => {
    const typed = { ...NO_BUDGETS, max_steps: 9 };
    expect(limitsFor(typed, { budget: { ...had, max_steps: 7, max_tokens: 500 } }, before, config)).toEqual(typed);
  });
});
