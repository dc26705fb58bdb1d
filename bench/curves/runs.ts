import type { Curve } from '../curve.js';
import { sequential } from '../definitions.js';
import { milliseconds } from '../measure.js';

const STEPS = 5;

export const growthOfRuns: Curve = {
  name: 'growth-runs',
  title: `Runs of ${STEPS} model calls, all at once`,
  across: 'runs at once',
  unit: 'run',
  points: [1, 5, 20, 50, 100, 200],
  further: [1000],
  rounds: 2,
  enough: 200,
  async sidesAt({ ours, byHand }, runs) {
    const plan = await ours.compile(sequential(STEPS));
    const all = (run: () => Promise<unknown>): Promise<number> =>
      milliseconds(() => Promise.all(Array.from({ length: runs }, run)));
    return { ours: () => all(() => ours.run(plan)), theirs: () => all(() => byHand.run('sequential', [STEPS])) };
  },
};
