import { describe, expect, it } from 'vitest';
import type { RenderCall } from '../../../src/activities/contract.js';
import type { Json } from '../../../src/plan/values/json.js';
import { isStored } from '../../../src/plan/values/value.js';
import { set, whole } from '../../plan/helpers/build-blocks.js';
import { plan } from '../../plan/helpers/build-plan.js';
import { createBench, failureOf } from '../helpers/harness.js';

/** A list in a list, and so on; levels that walk no stack. */
function nested(levels: number): Json {
  let value: Json = 'x'.repeat(600);
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

describe('a value that is computed from others', () => {
  it('has at most 500 levels, so that whoever reads it can walk it', async () => {
    const bench = await createBench();
    const step = set(0, { last: { kind: 'list', items: [whole('step:1.output')] } });
    const made = plan([step, set(1, {})]);
    await bench.store.putPlan(made);
    const call = async (levels: number): Promise<RenderCall> => ({
      root: { run: 'test-run', first: 'first', plan: made.hash },
      nested: null,
      what: 'object',
      step: 0,
      environment: { 'step:1.output': await bench.store.putAlways(nested(levels)) },
    });
    // The step adds two: its own object, and the list.
    const { object } = await bench.activities.renderValues(await call(498));
    expect(object !== undefined && isStored(object)).toBe(true);
    expect(await failureOf(bench.activities.renderValues(await call(499)))).toMatchObject({
      type: 'value-invalid',
      message: expect.stringContaining('has at most 500 levels') as string,
      nonRetryable: true,
    });
  });
});
