import { randomUUID } from 'node:crypto';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.js';
import { startPostgres } from '../../test/faults/postgres/server.js';
import { sequential } from '../definitions.js';
import type { Bench } from '../environment.js';
import type { PairResult } from '../measure.js';
import { measureInTurn, milliseconds, runsPerSecond } from '../measure.js';
import { Ours } from '../ours.js';
import type { Row } from '../row.js';

const AGAINST = 'ours with the store in files';
/** Workers a side. */
const WORKERS = 2;
const RUNS = 50;

/** What a store in a database costs: PostgreSQL stands beside the server, and syncs each commit. */
export const postgresRows: Row[] = [
  {
    name: 'sequential-latency-postgres',
    workload: '20 sequential model calls with the store in PostgreSQL, latency',
    against: AGAINST,
    unit: 'ms',
    target: { atMost: 1.3 },
    rounds: 15,
    measure: (bench, rounds) =>
      measureStores(bench, sequential(20), { rounds, warmUps: 10 }, (run) => milliseconds(run)),
  },
  {
    name: 'throughput-postgres',
    workload: `${RUNS} runs of 10 model calls at once with the store in PostgreSQL, throughput`,
    against: AGAINST,
    unit: 'runs/s',
    target: { atLeast: 0.8 },
    rounds: 10,
    measure: (bench, rounds) =>
      measureStores(bench, sequential(10, 'bench-throughput'), { rounds, warmUps: 4 }, (run) =>
        runsPerSecond(RUNS, run),
      ),
  },
];

/** Measures the same definition with both stores, on one server, each side with workers of its own that are as old. */
async function measureStores(
  bench: Bench,
  definition: Record<string, unknown>,
  options: { rounds: number; warmUps: number },
  measure: (run: () => Promise<unknown>) => Promise<number>,
): Promise<PairResult> {
  const { folder, ours } = bench;
  await chmod(folder, 0o711); // PostgreSQL is another user, who has to come to its own folder
  const server = await startPostgres(folder);
  const workers: { end: () => Promise<void> }[] = [];
  try {
    const storeUrl = await server.createDatabase();
    const store = await openPostgresStore(storeUrl, join(folder, `cache-${randomUUID()}`));
    const stored = async (number: number): Promise<{ files: Ours; database: Ours }> => {
      const queue = `stores-${number}-${randomUUID()}`;
      workers.push(await bench.startWorker('ours', { taskQueue: `${queue}-files` }));
      workers.push(await bench.startWorker('ours', { taskQueue: `${queue}-database`, storeUrl }));
      const database = new Ours(ours.client, { store, folder, taskQueue: `${queue}-database` });
      return { files: ours.on(`${queue}-files`), database };
    };
    const pairs: [Stores, ...Stores[]] = [await stored(1)];
    for (let number = 2; number <= WORKERS; number++) pairs.push(await stored(number));
    // What a run is started with names values of its store: each has a Plan of its own.
    const [inFiles, inDatabase] = [await ours.compile(definition), await pairs[0].database.compile(definition)];
    return await measureInTurn(
      pairs,
      ({ database }) => measure(() => database.run(inDatabase)),
      ({ files }) => measure(() => files.run(inFiles)),
      options,
    );
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
    await server.remove();
  }
}

interface Stores {
  files: Ours;
  database: Ours;
}
