import { sequential } from '../definitions.js';
import { measureInTurn, milliseconds } from '../measure.js';
import type { Row } from '../row.js';

const RUNS = 50;
const STEPS = 10;

export const throughput: Row = {
  name: 'throughput',
  workload: `${RUNS} runs of ${STEPS} model calls at once, throughput`,
  against: 'hand-written',
  unit: 'runs/s',
  target: { atLeast: 0.97 },
  rounds: 15,
  async measure({ ours, pairs }, rounds) {
    const plan = await ours.compile(sequential(STEPS, 'bench-throughput'));
    return measureInTurn(pairs, (pair) => perSecond(() => pair.ours.run(plan)), (pair) => perSecond(() => pair.byHand.run('sequential', [STEPS])), rounds);
  },
};

/** Runs a second when all are started at once. */
async function perSecond(run: () => Promise<unknown>): Promise<number> {
  const elapsed = await milliseconds(() => Promise.all(Array.from({ length: RUNS }, run)));
  return RUNS / (elapsed / 1000);
}
