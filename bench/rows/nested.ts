import { nested as definition, sequential } from '../definitions.js';
import { measureInTurn, milliseconds } from '../measure.js';
import type { Row } from '../row.js';

const CHILDREN = 10;
const STEPS = 10;
const INNER = 'bench-inner';

export const nested: Row = {
  name: 'nested',
  workload: `${CHILDREN} nested workflows of ${STEPS} model calls, throughput`,
  against: 'hand-written children',
  unit: 'runs/s',
  target: { atLeast: 0.95 },
  rounds: 20,
  async measure({ ours, pairs }, rounds) {
    await ours.compile(sequential(STEPS, INNER));
    const plan = await ours.compile(definition(CHILDREN, INNER));
    const perSecond = async (run: () => Promise<unknown>): Promise<number> => 1000 / (await milliseconds(run));
    return measureInTurn(
      pairs,
      (pair) => perSecond(() => pair.ours.run(plan)),
      (pair) => perSecond(() => pair.byHand.run('nested', [CHILDREN, STEPS])),
      { rounds },
    );
  },
};
