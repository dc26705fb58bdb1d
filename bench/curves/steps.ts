import type { Curve } from '../curve.js';
import { items, sequential } from '../definitions.js';
import { LONG_RUN, ourLongRun, theirLongRun } from '../long-run.js';
import { milliseconds } from '../measure.js';

export const growthOfSteps: Curve = {
  name: 'growth-steps',
  title: 'Sequential model calls in one run',
  across: 'steps',
  unit: 'step',
  points: [10, 30, 100, 300, 1000, LONG_RUN],
  further: [10_000],
  rounds: 1,
  enough: 500,
  async sidesAt(bench, steps) {
    if (steps === LONG_RUN) {
      return {
        ours: async () => (await ourLongRun(bench)).milliseconds,
        theirs: async () => (await theirLongRun(bench)).milliseconds,
      };
    }
    // A definition has at most 256 KiB: so many steps are items of a foreach that runs one at a time.
    const plan = await bench.ours.compile(steps > LONG_RUN ? items(steps, 1) : sequential(steps));
    return {
      ours: () => milliseconds(() => bench.ours.run(plan)),
      theirs: () => milliseconds(() => bench.byHand.run('longSequence', [steps])),
    };
  },
};
