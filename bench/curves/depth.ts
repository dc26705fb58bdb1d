import type { Curve } from '../curve.js';
import { nested, sequential } from '../definitions.js';
import { milliseconds } from '../measure.js';

const STEPS = 3;

export const growthOfDepth: Curve = {
  name: 'growth-depth',
  title: `Nested workflows, the innermost with ${STEPS} model calls`,
  across: 'levels of nesting',
  unit: 'level',
  points: [1, 2, 3, 4, 5],
  rounds: 7,
  async sidesAt({ ours, byHand }, depth) {
    await ours.compile(sequential(STEPS, 'bench-depth-0'));
    for (let level = 1; level < depth; level++) await ours.compile(nested(1, `bench-depth-${level - 1}`, `bench-depth-${level}`));
    const plan = await ours.compile(nested(1, `bench-depth-${depth - 1}`, `bench-depth-${depth}`));
    return { ours: () => milliseconds(() => ours.run(plan)), theirs: () => milliseconds(() => byHand.run('deep', [depth, STEPS])) };
  },
};
