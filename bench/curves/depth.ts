import type { Curve } from '../curve.js';
import { nested, sequential } from '../definitions.js';
import { milliseconds } from '../measure.js';

const STEPS = 3;

export const growthOfDepth: Curve = {
  name: 'growth-depth',
  title: `Nested workflows, the innermost with ${STEPS} model calls`,
  across: 'levels, the run itself included',
  unit: 'level',
  points: [1, 2, 3, 4, 5],
  further: [],
  rounds: 1,
  enough: 75,
  async sidesAt({ ours, byHand }, levels) {
    let plan = await ours.compile(sequential(STEPS, 'bench-level-1'));
    for (let level = 2; level <= levels; level++)
      plan = await ours.compile(nested(1, `bench-level-${level - 1}`, `bench-level-${level}`));
    return {
      ours: () => milliseconds(() => ours.run(plan)),
      theirs: () => milliseconds(() => byHand.run('deep', [levels - 1, STEPS])),
    };
  },
};
