import { fanOut as definition } from '../definitions.js';
import { measurePair, milliseconds } from '../measure.js';
import type { Row } from '../row.js';

const WINDOW = 50;

export const fanOut200 = fanOutRow(200, 5);
export const fanOut2000 = fanOutRow(2000, 2);

function fanOutRow(items: number, rounds: number): Row {
  return {
    name: `fan-out-${items}`,
    workload: `${items.toLocaleString('en-US')} independent model calls, ${WINDOW} at a time, throughput`,
    against: 'hand-written with the same window',
    unit: 'steps/s',
    target: { atLeast: 0.97 },
    rounds,
    async measure({ ours, byHand }, wanted) {
      const plan = await ours.compile(definition(items, WINDOW));
      const perSecond = async (run: () => Promise<unknown>): Promise<number> => items / ((await milliseconds(run)) / 1000);
      return measurePair(() => perSecond(() => ours.run(plan)), () => perSecond(() => byHand.run('fanOut', [items, WINDOW])), wanted);
    },
  };
}
