import { randomUUID } from 'node:crypto';
import { ByHand } from '../by-hand/client.js';
import { sequential } from '../definitions.js';
import type { Bench, Side } from '../environment.js';
import { measurePair } from '../measure.js';
import type { Row } from '../row.js';
import type { WorkerProcess } from '../worker-process.js';

const RUNS = 20;
const STEPS = 20;

/** What a busy neighbour falsifies least: only what the worker itself computes. */
export const workerCpu: Row = {
  name: 'worker-cpu',
  workload: `CPU of a worker per model call, ${RUNS} runs of ${STEPS} at once`,
  against: 'hand-written',
  unit: 'ms',
  target: null,
  rounds: 6,
  async measure(bench, rounds) {
    const queue = `cpu-${randomUUID()}`;
    const plan = await bench.ours.compile(sequential(STEPS));
    const mine = bench.ours.on(queue);
    const other = new ByHand(bench.byHand.client, `${queue}-by-hand`);
    const workers = await startBoth(bench, queue);
    try {
      return await measurePair(
        () => cpuPerStep(workers.ours, () => mine.run(plan)),
        () => cpuPerStep(workers['by-hand'], () => other.run('sequential', [STEPS])),
        rounds,
      );
    } finally {
      await Promise.all(Object.values(workers).map((worker) => worker.end()));
    }
  },
};

async function startBoth(bench: Bench, queue: string): Promise<Record<Side, WorkerProcess>> {
  return {
    ours: await bench.startWorker('ours', { taskQueue: queue }),
    'by-hand': await bench.startWorker('by-hand', { taskQueue: `${queue}-by-hand` }),
  };
}

async function cpuPerStep(worker: WorkerProcess, run: () => Promise<unknown>): Promise<number> {
  const before = await worker.cpu();
  await Promise.all(Array.from({ length: RUNS }, run));
  return ((await worker.cpu()) - before) / RUNS / STEPS;
}
