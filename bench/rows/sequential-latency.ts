import { commands, sequential } from '../definitions.js';
import type { Pair } from '../environment.js';
import type { PairResult } from '../measure.js';
import { measureInTurn, milliseconds, warmUp } from '../measure.js';
import type { Row } from '../row.js';

const STEPS = 20;
/** With the one that every row has, two hundred steps of each worker: what the first ones cost is V8's compiling. */
const WARM_UPS = 9;
const AGAINST = 'a hand-written TypeScript workflow';

export const sequentialLatency: Row = {
  name: 'sequential-latency',
  workload: `${STEPS} sequential model calls, latency`,
  against: AGAINST,
  unit: 'ms',
  target: { atMost: 1.05 },
  rounds: 20,
  async measure({ ours, pairs }, rounds) {
    const plan = await ours.compile(sequential(STEPS));
    return measureWarm(pairs, (pair) => milliseconds(() => pair.ours.run(plan)), (pair) => milliseconds(() => pair.byHand.run('sequential', [STEPS])), rounds);
  },
};

export const commandLatency: Row = {
  name: 'command-latency',
  workload: `${STEPS} sequential commands (\`true\`), latency`,
  against: AGAINST,
  unit: 'ms',
  target: { atMost: 1.05 },
  rounds: 15,
  async measure({ ours, pairs }, rounds) {
    const plan = await ours.compile(commands(STEPS));
    return measureWarm(pairs, (pair) => milliseconds(() => pair.ours.run(plan)), (pair) => milliseconds(() => pair.byHand.run('commands', [STEPS])), rounds);
  },
};

/** A limit of at most 10 s makes a command a local activity behind the journal. */
export const quickSteps: Row = {
  name: 'quick-steps',
  workload: `${STEPS} sequential commands (\`true\`) with \`timeout: 5s\`, latency`,
  against: 'ours with the usual timeout',
  unit: 'ms',
  target: { atMost: 0.45 },
  rounds: 15,
  async measure({ ours, pairs }, rounds) {
    const [quick, usual] = [await ours.compile(commands(STEPS, '5s')), await ours.compile(commands(STEPS))];
    return measureWarm(pairs, (pair) => milliseconds(() => pair.ours.run(quick)), (pair) => milliseconds(() => pair.ours.run(usual)), rounds);
  },
};

async function measureWarm(...[pairs, ours, theirs, rounds]: Parameters<typeof measureInTurn<Pair>>): Promise<PairResult> {
  await warmUp(pairs, ours, theirs, WARM_UPS);
  return measureInTurn(pairs, ours, theirs, rounds);
}
