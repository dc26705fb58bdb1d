import { commands, sequential } from '../definitions.js';
import { measurePair, milliseconds } from '../measure.js';
import type { Row } from '../row.js';

const STEPS = 20;
const AGAINST = 'a hand-written TypeScript workflow';

export const sequentialLatency: Row = {
  name: 'sequential-latency',
  workload: `${STEPS} sequential model calls, latency`,
  against: AGAINST,
  unit: 'ms',
  target: { atMost: 1.05 },
  rounds: 9,
  async measure({ ours, byHand }, rounds) {
    const plan = await ours.compile(sequential(STEPS));
    return measurePair(() => milliseconds(() => ours.run(plan)), () => milliseconds(() => byHand.run('sequential', [STEPS])), rounds);
  },
};

export const commandLatency: Row = {
  name: 'command-latency',
  workload: `${STEPS} sequential commands (\`true\`), latency`,
  against: AGAINST,
  unit: 'ms',
  target: { atMost: 1.05 },
  rounds: 9,
  async measure({ ours, byHand }, rounds) {
    const plan = await ours.compile(commands(STEPS));
    return measurePair(() => milliseconds(() => ours.run(plan)), () => milliseconds(() => byHand.run('commands', [STEPS])), rounds);
  },
};
