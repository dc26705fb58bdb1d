import type { ConnectionLike } from '@temporalio/client';
import { Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { otherStore, pollersAt, storesOf } from './task-queue.js';

/** From a claim until its worker is seen polling it takes seconds; a claim whose worker never came ends by itself. */
const CLAIM_MS = 60_000;

interface Queue {
  connection: Parameters<typeof pollersAt>[0] & ConnectionLike;
  namespace: string;
  taskQueue: string;
}

/**
 * Sees to it that workers of one store poll a queue, and of no other: activities of a run need its values, and a worker
 * that lacks them fails it. The queue is claimed until this worker is seen polling, by a workflow that nobody works at:
 * of two that start at once the server lets one have it. Throws an UnavailableError that names the other store.
 */
export async function claimQueue({ connection, namespace, taskQueue }: Queue, store: { id: string }): Promise<void> {
  const [other] = storesOf(await pollersAt(connection, namespace, taskQueue)).filter((id) => id !== store.id);
  if (other !== undefined) throw otherStore(taskQueue, store.id, other);
  const { workflow } = new Client({ connection, namespace });
  const id = `perdure-queue-${taskQueue}`;
  try {
    await workflow.start('perdureQueue', {
      workflowId: id,
      taskQueue: id,
      memo: { store: store.id },
      workflowExecutionTimeout: CLAIM_MS,
      workflowIdConflictPolicy: 'FAIL',
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const { memo } = await workflow.getHandle(id).describe();
    const owner = memo?.['store'];
    if (owner !== store.id) throw otherStore(taskQueue, store.id, String(owner));
  }
}
