import { Connection } from '@temporalio/client';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import { createClient } from '../connection/temporal-client.js';
import { endCarriedRuns } from './carried-runs.js';
import { hasOpenWork } from './open-work.js';
import { NAMESPACE, OWN_SERVER } from '../connection/connect.js';
import { pollersUntil } from '../connection/task-queue.js';

/**
 * Resolves when somebody polls the queue: before that a run's updates and queries would hang. Rejects with the signal's
 * reason.
 */
export async function waitForPoller(address: string, taskQueue: string, signal: AbortSignal): Promise<void> {
  await connected(address, async (connection) => {
    if ((await pollersUntil(signal, connection, NAMESPACE, taskQueue)).length === 0) signal.throwIfAborted();
  });
}

/** Tells whether a run on our own server has something to do. */
export async function isNeededAt(address: string, keys: KeyRing | null): Promise<boolean> {
  return connected(address, (connection) => hasOpenWork(createClient({ connection, namespace: NAMESPACE, keys })));
}

/** Ends what a copied database has open on our own server; gives the roots that it ended (`carried-runs.ts`). */
export async function endCarriedAt(
  address: string,
  store: { id: string; copiedFrom: string },
  keys: KeyRing | null,
): Promise<string[]> {
  return connected(address, (connection) =>
    endCarriedRuns(createClient({ connection, namespace: NAMESPACE, keys }), store),
  );
}

async function connected<T>(address: string, use: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address, ...OWN_SERVER });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}
