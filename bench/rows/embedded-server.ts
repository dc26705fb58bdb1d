import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { ByHand } from '../by-hand/client.js';
import type { Bench } from '../environment.js';
import { measurePair, milliseconds } from '../measure.js';
import type { PairResult } from '../measure.js';
import type { Row } from '../row.js';
import { startStockServer } from '../stock-server.js';

const AGAINST = '`temporal server start-dev` with a database file';
/** Beyond the first ten steps: each takes two polls, of which the other server makes 20 a second when it has used up those of a second that it had in hand. */
const STEPS = 100;
const RUNS = 25;

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
      onBoth(bench, rounds, async (side) => {
        const elapsed = await milliseconds(() => Promise.all(Array.from({ length: RUNS }, () => side.run('sequential', [10]))));
        return RUNS / (elapsed / 1000);
      }),
  },
];

async function onBoth(bench: Bench, rounds: number, measure: (side: ByHand) => Promise<number>): Promise<PairResult> {
  // In the bench's folder, so that the guard finds the server by it.
  const stock = await startStockServer(bench.temporal, join(bench.folder, `${randomUUID()}.db`));
  const taskQueue = 'stock';
  const worker = await bench.startWorker('by-hand', { taskQueue, address: stock.address });
  try {
    const theirs = new ByHand(stock.client, taskQueue);
    return await measurePair(() => measure(bench.byHand), () => measure(theirs), rounds);
  } finally {
    await worker.end();
    await stock.close();
  }
}
