import { nested as definition, sequential } from '../definitions.js';
import { measurePair, milliseconds } from '../measure.js';
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
  rounds: 5,
  async measure({ ours, byHand }, rounds) {
    await ours.compile(sequential(STEPS, INNER));
    const plan = await ours.compile(definition(CHILDREN, INNER));
    const perSecond = async (run: () => Promise<unknown>): Promise<number> => 1000 / (await milliseconds(run));
    return measurePair(() => perSecond(() => ours.run(plan)), () => perSecond(() => byHand.run('nested', [CHILDREN, STEPS])), rounds);
  },
};
