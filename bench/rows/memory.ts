import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { MEMO } from '../../src/plan/names.js';
import { WORKER_OPTIONS } from '../../src/workers/worker/worker-options.js';
import { ByHand } from '../by-hand/client.js';
import { approval } from '../definitions.js';
import type { Bench, Side } from '../environment.js';
import { measurePair } from '../measure.js';
import type { Row } from '../row.js';

/** As many as a worker keeps in memory; on most machines that is 1,000. */
const RUNS = WORKER_OPTIONS.maxCachedWorkflows;
/** Runs before the first look, so that code and pools that come once are not counted. */
const WARM_UP = 30;
const AT_ONCE = 50;
/** Started, first task scheduled, started, completed. */
const EVENTS_WHEN_WAITING = 4;

export const memory: Row = {
  name: 'memory',
  workload: `worker memory per waiting run (${RUNS.toLocaleString('en-US')} runs at a gate)`,
  against: 'hand-written: a signal awaited in `condition`',
  unit: 'KiB',
  target: { atMost: 1.25 },
  rounds: 3,
  async measure(bench, rounds) {
    const plan = await bench.ours.compile(approval());
    const mine = (queue: string): Promise<WorkflowHandle> => bench.ours.on(queue).start(plan);
    const other = (queue: string): Promise<WorkflowHandle> =>
      new ByHand(bench.byHand.client, queue).start('approval', []);
    // A new worker each time: none gives memory back that it once had.
    return measurePair(
      () => growth(bench, 'ours', mine),
      () => growth(bench, 'by-hand', other),
      rounds,
      false,
    );
  },
};

/**
 * KiB by which a new worker's resident memory grows with each run that waits, what V8 has not collected yet left out on
 * both sides: it does so by itself within a minute of rest, in which runs that wait for people spend their time.
 */
async function growth(bench: Bench, side: Side, start: (queue: string) => Promise<WorkflowHandle>): Promise<number> {
  const queue = `memory-${randomUUID()}`;
  const worker = await bench.startWorker(side, { taskQueue: queue });
  try {
    await waiting(side, WARM_UP, () => start(queue));
    const before = await worker.memory();
    await waiting(side, RUNS, () => start(queue));
    return ((await worker.memory()) - before) / RUNS / 1024;
  } finally {
    await worker.end();
  }
}

/** Starts runs, a few at a time, and waits until each waits. */
async function waiting(side: Side, runs: number, start: () => Promise<WorkflowHandle>): Promise<void> {
  for (let started = 0; started < runs; started += AT_ONCE) {
    const batch = await Promise.all(Array.from({ length: Math.min(AT_ONCE, runs - started) }, start));
    await Promise.all(batch.map((handle) => untilWaiting(side, handle)));
  }
}

async function untilWaiting(side: Side, handle: WorkflowHandle): Promise<void> {
  for (;;) {
    const { memo, historyLength } = await handle.describe();
    const gates = memo?.[MEMO.waiting];
    if (side === 'ours' ? Array.isArray(gates) && gates.length > 0 : historyLength >= EVENTS_WHEN_WAITING) return;
  }
}
