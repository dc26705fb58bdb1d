import type { Client, Connection } from '@temporalio/client';
import { askStore } from '../../activities/far-store/ask-store.js';
import type { Device } from '../../plan/devices/device.js';
import type { FoundDevice } from '../../plan/calls/store-questions.js';
import { StoreFailure } from '../../store/store-failure.js';
import { pollersAt } from '../connection/task-queue.js';

/** Who is killed is seen to poll for another minute; who lives answers in a few milliseconds. */
const ANSWER_MS = 5_000;

/** A server, as far as it is asked about hosts. */
export interface HostServer {
  connection: Connection;
  client: Pick<Client, 'workflow'>;
  namespace: string;
}

/** What the workers on a device's host say of it; null when none of them answers. */
export async function askHost(
  { connection, client, namespace }: HostServer,
  queue: string,
  device: Device,
): Promise<FoundDevice | null> {
  if ((await pollersAt(connection, namespace, queue)).length === 0) return null;
  try {
    return await askStore({ client, taskQueue: queue, id: queue }, { op: 'findDevice', device }, ANSWER_MS);
  } catch (error) {
    if (error instanceof StoreFailure) return null;
    throw error;
  }
}

/**
 * Tells whether a device hangs on this host, for all that `perdure.yml` says: it names no queue, or the project's own.
 */
export function isHere(
  device: { task_queue?: string | undefined },
  { task_queue }: { task_queue?: string | undefined },
): boolean {
  return device.task_queue === undefined || device.task_queue === task_queue;
}
