import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ByHand } from '../by-hand/client.js';
import type { Bench } from '../environment.js';
import { measurePair, milliseconds, runsPerSecond } from '../measure.js';
import type { PairResult } from '../measure.js';
import type { OwnServer } from '../own-server.js';
import { startOwnServer } from '../own-server.js';
import type { Row } from '../row.js';
import { startStockServer } from '../stock-server.js';

const AGAINST = '`temporal server start-dev` with a database file';
/**
 * Beyond the first ten steps: each takes two polls, of which the other server makes 20 a second when it has used up
 * those of a second that it had in hand.
 */
const STEPS = 100;
const RUNS = 25;
const TASK_QUEUE = 'server';

type Server = Omit<OwnServer, 'cpu'>;

/** The same hand-written workflow on both servers: only the server differs. */
export const serverRows: Row[] = [
  {
    name: 'server-latency',
    workload: `embedded server: ${STEPS} sequential model calls, latency`,
    against: AGAINST,
    unit: 'ms',
    target: { atMost: 0.12 },
    rounds: 5,
    measure: (bench, rounds) => onBoth(bench, rounds, (side) => milliseconds(() => side.run('sequential', [STEPS]))),
  },
  {
    name: 'server-throughput',
    workload: `embedded server: ${RUNS} runs of 10 model calls, throughput`,
    against: AGAINST,
    unit: 'runs/s',
    target: { atLeast: 1.8 },
    rounds: 3,
    measure: (bench, rounds) =>
      onBoth(bench, rounds, (side) => runsPerSecond(RUNS, () => side.run('sequential', [10]))),
  },
];

/**
 * Both servers are new, with one worker each: what other rows left behind, and their workers, would be there for one of
 * them only.
 */
async function onBoth(bench: Bench, rounds: number, measure: (side: ByHand) => Promise<number>): Promise<PairResult> {
  const ends: (() => Promise<unknown>)[] = [];
  const sideOn = async (server: Server): Promise<ByHand> => {
    ends.push(() => server.close());
    const worker = await bench.startWorker('by-hand', { taskQueue: TASK_QUEUE, address: server.address });
    ends.push(() => worker.end());
    return new ByHand(server.client, TASK_QUEUE);
  };
  try {
    // In the bench's folder, so that the guard finds the servers by it.
    const ours = await sideOn(await startOwnServer(bench.temporal, join(bench.folder, randomUUID())));
    const theirs = await sideOn(await startStockServer(bench.temporal, join(bench.folder, `${randomUUID()}.db`)));
    return await measurePair(
      () => measure(ours),
      () => measure(theirs),
      rounds,
    );
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
