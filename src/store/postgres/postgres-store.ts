import { join } from 'node:path';
import { openBucket } from '../bucket/bucket.js';
import type { BucketPlace } from '../bucket/place.js';
import type { KeyRing } from '../encryption/key-ring.js';
import { openIdentity } from '../identity.js';
import type { FollowerFiles } from '../records/follower-files.js';
import { createMadeFiles } from '../records/made-files.js';
import { memoriesIn } from '../records/memory-files.js';
import { snapshotFolder } from '../snapshots/snapshots.js';
import type { Store } from '../store.js';
import { readAddress } from './address.js';
import { createAlive } from './alive.js';
import { createApproval } from './approval.js';
import type { Database, DatabaseOptions } from './database.js';
import { openDatabase } from './database.js';
import { createHomes } from './homes.js';
import { createJournal } from './journal.js';
import { createLogs } from './logs.js';
import { migrate } from './migrations.js';
import { createNarration } from './narration.js';
import { createPlans } from './plans.js';
import { createPruning } from './pruning.js';
import { createProviders } from './providers.js';
import { linesOf } from './records.js';
import { createRuns } from './runs.js';
import { createSessions } from './sessions.js';
import { createDevices, createFollowers, createHooks, createRecorded, createTaint } from './small-records.js';
import { createPlacedSnapshots } from './placed-snapshots.js';
import { requireKeys } from './seal-store.js';
import { createSubmitted } from './submitted.js';
import { createValues } from './values.js';
import { createWorkers } from './workers.js';

/**
 * Opens the store in a database, and makes its tables where there are none; several workers may do so at once. The
 * state folder is its cache, and holds what belongs to this machine: work trees, trees of snapshots, the memory of
 * simulated devices, which files were made here. With keys all contents are sealed. Throws a `StoreFailure` where the
 * database cannot be used, and a KeyError where it is sealed with other keys.
 */
export async function openPostgresStore(url: string, stateDir: string, parts: StoreParts = {}): Promise<Store> {
  return (await openDatabaseStore(url, stateDir, parts)).store;
}

/** What a store has beside its database: keys that seal its contents, and a bucket for large ones. */
export interface StoreParts {
  keys?: KeyRing | null;
  bucket?: BucketPlace | null;
}

/** The same with the database itself, for who looks after it. */
export async function openDatabaseStore(
  url: string,
  stateDir: string,
  { keys = null, bucket = null }: StoreParts = {},
): Promise<{ store: Store; database: Database }> {
  const address = readAddress(url);
  // Whoever opens it wants to know at once; who is at work waits.
  await onceWith(address, { patienceMs: 0, connections: 1, keys }, async (database) => {
    await migrate(database);
    await requireKeys(database);
  });
  await openIdentity(stateDir, false);
  const database = openDatabase(address, { keys, bucket: bucket === null ? null : openBucket(bucket) });
  const id = await migrate(database);
  return { store: { ...storeIn(database, stateDir), ...createFollowers(database, id), id }, database };
}

async function onceWith<T>(
  address: Parameters<typeof openDatabase>[0],
  options: DatabaseOptions,
  act: (database: Database) => Promise<T>,
): Promise<T> {
  const database = openDatabase(address, options);
  try {
    return await act(database);
  } finally {
    await database.close();
  }
}

function storeIn(database: Database, stateDir: string): Omit<Store, 'id' | keyof FollowerFiles> {
  const memories = linesOf(database, 'memory');
  const runs = createRuns(database);
  const submitted = createSubmitted(database);
  return {
    copiedFrom: null,
    folder: stateDir,
    ...createValues(database, join(stateDir, 'values')),
    ...createPlans(database),
    ...createJournal(database),
    ...createHooks(database),
    ...runs,
    ...createLogs(database),
    ...createAlive(database),
    ...createApproval(database),
    ...createMadeFiles(join(stateDir, 'made')),
    ...createDevices(database, join(stateDir, 'devices')),
    ...createProviders(database),
    ...createSessions(database, { ...submitted, ...runs }),
    ...memoriesIn({ append: (line) => memories.append('', line), read: () => memories.read('') }),
    unreadMemories: async () => null, // its rows are written here alone
    ...createNarration(database),
    ...createRecorded(database),
    ...createPlacedSnapshots(database, snapshotFolder(stateDir)),
    ...createTaint(database),
    ...createPruning(database, stateDir),
    ...submitted,
    ...createWorkers(database),
    homes: createHomes(database),
  };
}
