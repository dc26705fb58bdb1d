import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BlockStep, Step } from '../../../src/plan/step.js';
import { echo, foreach, literal, loop, many, reference } from '../../plan/helpers/build-blocks.js';
import { after, commandStep, plan } from '../../plan/helpers/build-plan.js';
import { outcomeOf, roundsOf } from '../helpers/ended.js';
import type { Harness } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const slow: Step[] = [commandStep(0, ['sleep', '600']), echo(1, literal('never'), { needs: after(0) })];
const limit = { id: 'each', deadline_ms: 1_000 };
const inner = foreach(0, { kind: 'literal', value: ['x'] }, many(slow), { id: 'inner' });

describe('a step of items or rounds whose deadline passes', () => {
  it.each<[string, BlockStep, number]>([
    ['a foreach', foreach(0, { kind: 'literal', value: [1, 2] }, many(slow), limit), 2],
    ['a loop', loop(0, reference('index'), many(slow), limit), 1],
    ['a foreach in a loop', loop(0, reference('index'), many([inner]), limit), 1],
  ])('is the reason that is told of all that it cuts off: %s', async (_, step, rounds) => {
    const outcome = await outcomeOf(await harness.start(plan([step])));
    expect(await harness.results(outcome)).toMatchObject({
      each: { status: 'timeout', error: 'The step did not end within its deadline of 1 s.' },
    });
    const ended = await roundsOf(harness, outcome, 'each');
    const why = '`each` did not end within its deadline of 1 s';
    expect(ended).toHaveLength(rounds);
    for (const { steps } of ended)
      expect(steps.map(({ error }) => error).sort()).toEqual(
        [`cancelled: ${why}`, `skipped: ${why}`].slice(0, steps.length),
      );
    if (step.body.steps[0]?.kind !== 'foreach') expect(ended[0]?.steps).toHaveLength(2);
  });
});
