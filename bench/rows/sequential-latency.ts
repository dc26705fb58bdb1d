import { commands, lists, sequential } from '../definitions.js';
import { measureInTurn, milliseconds } from '../measure.js';
import type { Row } from '../row.js';

const STEPS = 20;
/** Two hundred steps of each worker: what the first ones cost is V8's compiling. */
const WARM_UPS = 10;
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
    return measureInTurn(
      pairs,
      (pair) => milliseconds(() => pair.ours.run(plan)),
      (pair) => milliseconds(() => pair.byHand.run('sequential', [STEPS])),
      { rounds, warmUps: WARM_UPS },
    );
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
    return measureInTurn(
      pairs,
      (pair) => milliseconds(() => pair.ours.run(plan)),
      (pair) => milliseconds(() => pair.byHand.run('commands', [STEPS])),
      { rounds, warmUps: WARM_UPS },
    );
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
    return measureInTurn(
      pairs,
      (pair) => milliseconds(() => pair.ours.run(quick)),
      (pair) => milliseconds(() => pair.ours.run(usual)),
      { rounds, warmUps: WARM_UPS },
    );
  },
};

/** A tool that looks through a folder is a local activity under the same limit. */
export const quickTools: Row = {
  name: 'quick-tools',
  workload: `${STEPS} sequential tool steps (\`list_files\`) with \`timeout: 5s\`, latency`,
  against: 'ours with the usual timeout',
  unit: 'ms',
  target: { atMost: 0.5 },
  rounds: 15,
  async measure({ ours, pairs }, rounds) {
    const [quick, usual] = [await ours.compile(lists(STEPS, '5s')), await ours.compile(lists(STEPS))];
    return measureInTurn(
      pairs,
      (pair) => milliseconds(() => pair.ours.run(quick)),
      (pair) => milliseconds(() => pair.ours.run(usual)),
      { rounds, warmUps: WARM_UPS },
    );
  },
};

/** A quick command that waits until the disk has what it came to. */
export const syncedSteps: Row = {
  name: 'synced-steps',
  workload: `${STEPS} sequential quick commands with \`durability: synced\`, latency`,
  against: 'ours with the usual durability',
  unit: 'ms',
  target: null,
  rounds: 15,
  async measure({ ours, pairs }, rounds) {
    const [synced, usual] = [
      await ours.compile(commands(STEPS, '5s', 'synced')),
      await ours.compile(commands(STEPS, '5s')),
    ];
    return measureInTurn(
      pairs,
      (pair) => milliseconds(() => pair.ours.run(synced)),
      (pair) => milliseconds(() => pair.ours.run(usual)),
      { rounds, warmUps: WARM_UPS },
    );
  },
};
