import { fanOut as definition } from '../definitions.js';
import { measureInTurn, milliseconds } from '../measure.js';
import type { Row } from '../row.js';

const WINDOW = 50;

export const fanOut200 = fanOutRow(200, 25);
export const fanOut2000 = fanOutRow(2000, 10);

function fanOutRow(items: number, rounds: number): Row {
  return {
    name: `fan-out-${items}`,
    workload: `${items.toLocaleString('en-US')} independent model calls, ${WINDOW} at a time, throughput`,
    against: 'hand-written with the same window',
    unit: 'steps/s',
    target: { atLeast: 0.93 },
    rounds,
    async measure({ ours, pairs }, wanted) {
      const plan = await ours.compile(definition(items, WINDOW));
      const perSecond = async (run: () => Promise<unknown>): Promise<number> =>
        items / ((await milliseconds(run)) / 1000);
      return measureInTurn(
        pairs,
        (pair) => perSecond(() => pair.ours.run(plan)),
        (pair) => perSecond(() => pair.byHand.run('fanOut', [items, WINDOW])),
        { rounds: wanted },
      );
    },
  };
}
