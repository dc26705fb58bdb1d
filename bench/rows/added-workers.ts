import { randomUUID } from 'node:crypto';
import { sequential } from '../definitions.js';
import type { Bench } from '../environment.js';
import type { Measured } from '../measure.js';
import { measurePair, runsPerSecond } from '../measure.js';
import type { Row } from '../row.js';
import type { WorkerProcess } from '../worker-process.js';

const RUNS = 100;
const STEPS = 10;
const ROUNDS = 9;
/** As for `throughput`: V8 compiles for so long. */
const WARM_UPS = 4;

/** How steps a second grow with worker processes of one server, and what is busy then. */
export const addedWorkers: Row[] = [addedRow(2), addedRow(4)];

function addedRow(count: number): Row {
  return {
    name: `workers-${count}`,
    workload: `${RUNS} runs of ${STEPS} model calls at once, ${count} worker processes`,
    against: 'one worker process',
    unit: 'steps/s',
    target: null,
    rounds: ROUNDS,
    measure: (bench, rounds) => measureAdded(bench, count, rounds),
  };
}

async function measureAdded(bench: Bench, count: number, rounds: number): Promise<Measured> {
  const plan = await bench.ours.compile(sequential(STEPS, 'bench-added'));
  const [many, one] = [`many-${randomUUID()}`, `one-${randomUUID()}`];
  const workers: WorkerProcess[] = [];
  const start = async (taskQueue: string): Promise<WorkerProcess> => {
    const worker = await bench.startWorker('ours', { taskQueue });
    workers.push(worker);
    return worker;
  };
  try {
    const added: WorkerProcess[] = [];
    for (let number = 0; number < count; number++) added.push(await start(many));
    await start(one);
    const rateOn = async (taskQueue: string): Promise<number> =>
      STEPS * (await runsPerSecond(RUNS, () => bench.ours.on(taskQueue).run(plan)));
    for (let round = 0; round < WARM_UPS; round++) for (const queue of [many, one]) await rateOn(queue);
    const busy: Busy = { steps: 0, workers: 0, server: 0, here: 0 };
    const pair = await measurePair(
      () => counted(busy, { bench, added }, () => rateOn(many)),
      () => rateOn(one),
      rounds,
      false,
    );
    const each = (ms: number): string => `${(ms / busy.steps).toFixed(2)} ms`;
    const [ofWorkers, ofServer, here] = [busy.workers, busy.server, busy.here].map(each);
    return { ...pair, note: `CPU a step: workers ${ofWorkers}, server ${ofServer}, client and models ${here}` };
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
  }
}

/** Milliseconds of CPU over all rounds. */
interface Busy {
  steps: number;
  workers: number;
  server: number;
  /** This process starts the runs, and answers for models. */
  here: number;
}

async function counted(
  busy: Busy,
  { bench, added }: { bench: Bench; added: WorkerProcess[] },
  act: () => Promise<number>,
): Promise<number> {
  const read = async (): Promise<[number, number, number]> => {
    const { user, system } = process.cpuUsage();
    const ofWorkers = await Promise.all(added.map((worker) => worker.cpu()));
    return [ofWorkers.reduce((sum, ms) => sum + ms, 0), await bench.serverCpu(), (user + system) / 1000];
  };
  const before = await read();
  const result = await act();
  const after = await read();
  busy.steps += RUNS * STEPS;
  busy.workers += after[0] - before[0];
  busy.server += after[1] - before[1];
  busy.here += after[2] - before[2];
  return result;
}
