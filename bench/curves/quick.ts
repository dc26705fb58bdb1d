import type { Curve } from '../curve.js';
import { commands } from '../definitions.js';
import { milliseconds } from '../measure.js';

export const growthOfQuickSteps: Curve = {
  name: 'growth-quick-steps',
  title: 'Quick commands (`true`) in one run; by hand as ordinary activities',
  across: 'quick steps',
  unit: 'step',
  points: [10, 30, 100, 300, 1000],
  further: [],
  rounds: 1,
  enough: 500,
  async sidesAt({ ours, byHand }, steps) {
    const plan = await ours.compile(commands(steps, '5s'));
    return {
      ours: () => milliseconds(() => ours.run(plan)),
      theirs: () => milliseconds(() => byHand.run('commands', [steps])),
    };
  },
};
