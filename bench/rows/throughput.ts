import { sequential } from '../definitions.js';
import type { Pair } from '../environment.js';
import { measureInTurn, runsPerSecond } from '../measure.js';
import type { Row } from '../row.js';

const RUNS = 50;
const STEPS = 10;
/**
 * Two thousand steps of each worker: so long V8 compiles, and a step costs up to 1.4 times what later ones do. Workers
 * live for days.
 */
const WARM_UPS = 4;

export const throughput: Row = {
  name: 'throughput',
  workload: `${RUNS} runs of ${STEPS} model calls at once, throughput`,
  against: 'hand-written',
  unit: 'runs/s',
  target: { atLeast: 0.93 },
  rounds: 15,
  async measure({ ours, pairs }, rounds) {
    const plan = await ours.compile(sequential(STEPS, 'bench-throughput'));
    const ofOurs = (pair: Pair): Promise<number> => runsPerSecond(RUNS, () => pair.ours.run(plan));
    const ofTheirs = (pair: Pair): Promise<number> => runsPerSecond(RUNS, () => pair.byHand.run('sequential', [STEPS]));
    return measureInTurn(pairs, ofOurs, ofTheirs, { rounds, warmUps: WARM_UPS });
  },
};
