import { describe, expect, it } from 'vitest';
import { batchRun, isBatchRun, needsBatches } from '../../../src/plan/schedule/batch-run.js';
import type { CarriedBlock } from '../../../src/plan/schedule/carried.js';
import type { Step } from '../../../src/plan/step.js';
import { foreach, literal, many, set, single } from '../helpers/build-blocks.js';
import { stepBase } from '../helpers/build-plan.js';

const nested: Step = { ...stepBase(0), kind: 'workflow', workflow: 'leaf', plan: 'sha256:leaf', inputs: {} };
const over = (step: Step) => foreach(0, literal('list'), single(step));
/** Only the key of an open item is looked at. */
const open: Pick<CarriedBlock, 'open'> = { open: { 7: {} as CarriedBlock['open'][number] } };

describe('a foreach', () => {
  it.each([
    { what: 'over 201 nested runs', step: nested, count: 201, carried: null, needed: true },
    { what: 'over 200 nested runs', step: nested, count: 200, carried: null, needed: false },
    { what: 'over 201 items without nested runs', step: set(0, {}), count: 201, carried: null, needed: false },
    { what: 'that goes on with no item open', step: nested, count: 201, carried: { open: {} }, needed: true },
    { what: 'that goes on with an item open', step: nested, count: 201, carried: open, needed: false },
  ])('$what goes through batches: $needed', ({ step, count, carried, needed }) => {
    expect(needsBatches(over(step), count, carried)).toBe(needed);
  });

  it('goes through batches for one step among others that starts nested runs', () => {
    expect(needsBatches(foreach(0, literal('list'), many([set(0, {}), nested])), 201)).toBe(true);
  });
});

it('a batch run has the numbers of its items, and no other run looks like one', () => {
  expect(batchRun('run/each', 200, 400)).toBe('run/each/200-399');
  for (const [from, end] of [
    [0, 200],
    [200, 400],
    [12_000, 12_001],
  ] as const)
    expect(isBatchRun(batchRun('run/each', from, end))).toBe(true);
  for (const run of [
    'run',
    '0-199',
    'run/each',
    'run/each/7',
    'run/0-199/each',
    'run/each/a-b',
    'run/each/0-',
    'run/each/-9',
  ])
    expect(isBatchRun(run)).toBe(false);
});
