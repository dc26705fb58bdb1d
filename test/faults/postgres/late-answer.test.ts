// @module-tag postgres
// @seconds 20
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createActivities } from '../../../src/activities/create-activities.js';
import { readAddress } from '../../../src/store/postgres/address.js';
import type { Database, Parameter, Row } from '../../../src/store/postgres/database.js';
import { openDatabase } from '../../../src/store/postgres/database.js';
import { createJournal } from '../../../src/store/postgres/journal.js';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.js';
import type { Bench } from '../../activities/helpers/harness.js';
import { callModel, credentialsAt, failureOf, temporaryFolder } from '../../activities/helpers/harness.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import type { PostgresServer } from './server.js';
import { refuseLongAnswers, startPostgres } from './server.js';

/** So long that a busy machine is not taken for a lost owner. */
const TIMES = { leaseMs: 3_000, beatMs: 1_000 };

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

/** A worker's activities over a database; while its journal is cut it stands still, as a process that is stopped. */
async function workerAt(url: string, endpoint: string): Promise<Bench & { cut: () => () => void }> {
  const folder = await temporaryFolder();
  const database = openDatabase(readAddress(url));
  onTestFinished(() => database.close());
  let standing: Promise<void> | null = null;
  const reached: Database = {
    ...database,
    async query<R extends Row>(text: string, parameters?: Parameter[]) {
      await standing;
      return database.query<R>(text, parameters);
    },
  };
  const store = {
    ...(await openPostgresStore(url, join(folder, '.perdure'))),
    ...createJournal(reached, TIMES),
    id: folder, // as in a process of its own: what others keep in memory by the store's id is not seen
  };
  return {
    store,
    folder,
    activities: createActivities({ store, credentials: () => credentialsAt(endpoint) }),
    temporal: new MockActivityEnvironment({ scheduledTimestampMs: Date.now() }, { logger: new DefaultLogger('ERROR') }),
    cut() {
      let mend = (): void => undefined;
      standing = new Promise((resolve) => (mend = resolve));
      return mend;
    },
  };
}

it('an answer that waits for room counts once its question is asked by another worker', async () => {
  const url = await server.createDatabase();
  let go = (): void => undefined;
  const until = new Promise<void>((resolve) => (go = resolve));
  const endpoint = await startModelEndpoint([{ text: 'long '.repeat(1_000) }, { text: 'short', until, rest: '' }]);
  onTestFinished(() => endpoint.close());
  const [one, other] = await Promise.all([workerAt(url, endpoint.url), workerAt(url, endpoint.url)]);
  const takeAll = await refuseLongAnswers(server, url);
  expect(await failureOf(callModel(one))).toMatchObject({ type: 'store-full', nonRetryable: false });
  const mend = one.cut();
  const second = callModel(other);
  await endpoint.arrival(2);
  await takeAll();
  mend();
  const cut = async (): Promise<unknown[]> =>
    (await other.store.listJournal('first-run-id')).flatMap(([key, { response }]) =>
      key.endsWith(',"cut"]') ? [response] : [],
    );
  await expect.poll(cut).toMatchObject([{ tokens: 15 }]);
  go();
  expect((await second).spend).toMatchObject({ tokens: 30 });
});
