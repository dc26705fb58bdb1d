import type { Connection } from '@temporalio/client';
import { UnavailableError } from './errors.js';
import type { TemporalLink } from './temporal-link.js';

/** A poll waits at most a minute, so whoever has not polled for longer is gone. */
const POLLED_WITHIN_MS = 75_000;
/** `TASK_QUEUE_TYPE_WORKFLOW` of Temporal's API. */
const WORKFLOW = 1;

/** Which queue a command uses: the flag's, the config's, else the store's own (decision 11). */
export function taskQueueOf(store: { id: string }, config: { task_queue?: string | undefined }, flag?: string): string {
  return flag ?? config.task_queue ?? `perdure-${store.id}`;
}

/** Who polls a queue for workflows: their identities. A worker that was killed is still seen for a minute. */
export async function pollersAt(connection: Connection, namespace: string, taskQueue: string): Promise<string[]> {
  const { pollers } = await connection.workflowService.describeTaskQueue({ namespace, taskQueue: { name: taskQueue }, taskQueueType: WORKFLOW });
  return (pollers ?? []).flatMap(({ identity, lastAccessTime }) => {
    const polled = Number(lastAccessTime?.seconds ?? 0) * 1000;
    return Date.now() - polled < POLLED_WITHIN_MS ? [identity ?? ''] : [];
  });
}

/** Who polls the link's queue. Throws an UnavailableError naming the queue and the store when nobody does. */
export async function pollersOf(link: TemporalLink, store: { id: string }): Promise<string[]> {
  const pollers = await pollersAt(link.connection, link.namespace, link.taskQueue);
  if (pollers.length > 0) return pollers;
  throw new UnavailableError(
    `No worker polls the task queue \`${link.taskQueue}\`, which needs the store \`${store.id}\`.`,
    link.embedded ? 'Restart the host: perdure server stop' : 'Start one where that store is: perdure worker',
  );
}
