import { randomUUID } from 'node:crypto';
import { ByHand } from '../by-hand/client.js';
import { sequential } from '../definitions.js';
import type { Bench } from '../environment.js';
import { measurePair, milliseconds, runsPerSecond } from '../measure.js';
import type { PairResult } from '../measure.js';
import type { Row } from '../row.js';

const AGAINST = 'hand-written, in a worker like ours';
const STEPS = 20;
const RUNS = 50;

/** What is left of the difference when the hand-written side has our worker too, which the SDK does not offer. */
export const onOurs: Row[] = [
  {
    name: 'latency-on-ours',
    workload: `${STEPS} sequential model calls, latency`,
    against: AGAINST,
    unit: 'ms',
    target: null,
    rounds: 15,
    async measure(bench, rounds) {
      const plan = await bench.ours.compile(sequential(STEPS));
      return withTheirs(bench, (theirs) =>
        measurePair(
          () => milliseconds(() => bench.ours.run(plan)),
          () => milliseconds(() => theirs.run('sequential', [STEPS])),
          rounds,
        ),
      );
    },
  },
  {
    name: 'throughput-on-ours',
    workload: `${RUNS} runs of 10 model calls at once, throughput`,
    against: AGAINST,
    unit: 'runs/s',
    target: null,
    rounds: 5,
    async measure(bench, rounds) {
      const plan = await bench.ours.compile(sequential(10, 'bench-throughput'));
      return withTheirs(bench, (theirs) =>
        measurePair(
          () => runsPerSecond(RUNS, () => bench.ours.run(plan)),
          () => runsPerSecond(RUNS, () => theirs.run('sequential', [10])),
          rounds,
        ),
      );
    },
  },
];

async function withTheirs(bench: Bench, measure: (theirs: ByHand) => Promise<PairResult>): Promise<PairResult> {
  const taskQueue = `on-ours-${randomUUID()}`;
  const worker = await bench.startWorker('by-hand-on-ours', { taskQueue });
  try {
    return await measure(new ByHand(bench.byHand.client, taskQueue));
  } finally {
    await worker.end();
  }
}
