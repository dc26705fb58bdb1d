import type { ConnectionLike } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import { requireSameKeys } from '../encryption/same-keys.js';
import { otherStore, pollersAt, storesOf } from './task-queue.js';
import { createClient } from './temporal-client.js';

/** From a claim until its worker is seen polling it takes seconds; a claim whose worker never came ends by itself. */
const CLAIM_MS = 60_000;

interface Queue {
  connection: Parameters<typeof pollersAt>[0] & ConnectionLike;
  namespace: string;
  taskQueue: string;
  keys: KeyRing | null;
}

/**
 * Sees to it that workers of one store poll a queue, and of no other: activities of a run need its values, and a worker
 * that lacks them fails it. The queue is claimed until this worker is seen polling, by a workflow that nobody works at:
 * of two that start at once the server lets one have it. Throws an UnavailableError that names the other store, or a
 * KeyError where the other workers have other keys.
 */
export async function claimQueue(
  { connection, namespace, taskQueue, keys }: Queue,
  store: { id: string },
): Promise<void> {
  const requireOwn = (pollers: string[]): void => {
    requireSameKeys(taskQueue, pollers, keys);
    const [other] = storesOf(pollers).filter((id) => id !== store.id);
    if (other !== undefined) throw otherStore(taskQueue, store.id, other);
  };
  requireOwn(await pollersAt(connection, namespace, taskQueue));
  const { workflow } = createClient({ connection, namespace, keys });
  const id = `perdure-queue-${taskQueue}`;
  try {
    const claim = await workflow.start('perdureQueue', {
      workflowId: id,
      taskQueue: id,
      memo: { store: store.id },
      workflowExecutionTimeout: CLAIM_MS,
      workflowIdConflictPolicy: 'FAIL',
    });
    const { startTime } = await claim.describe();
    try {
      // By the server's clock: this machine's may be minutes ahead, and who polls then looks like who polled once.
      requireOwn(await pollersAt(connection, namespace, taskQueue, startTime.getTime()));
    } catch (error) {
      await claim.terminate('The queue is that of others.');
      throw error;
    }
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const { memo } = await workflow.getHandle(id).describe();
    const owner = memo?.['store'];
    if (owner !== store.id) throw otherStore(taskQueue, store.id, String(owner));
  }
}
