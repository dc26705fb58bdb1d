import type { Curve } from '../curve.js';
import { items } from '../definitions.js';
import { milliseconds } from '../measure.js';

const WINDOW = 50;

export const growthOfItems: Curve = {
  name: 'growth-items',
  title: `Items of a \`foreach\`, a model call each, ${WINDOW} at a time`,
  across: 'items',
  unit: 'item',
  points: [10, 50, 200, 1000],
  further: [5000],
  rounds: 1,
  enough: 2000,
  async sidesAt({ ours, byHand }, count) {
    const plan = await ours.compile(items(count, WINDOW));
    return {
      ours: () => milliseconds(() => ours.run(plan)),
      theirs: () => milliseconds(() => byHand.run('fanOut', [count, WINDOW])),
    };
  },
};
