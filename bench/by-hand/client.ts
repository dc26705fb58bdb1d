import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';

/** Starts the hand-written workflows. */
export class ByHand {
  readonly client: Client;
  readonly #taskQueue: string;

  constructor(client: Client, taskQueue: string) {
    this.client = client;
    this.#taskQueue = taskQueue;
  }

  start(workflow: string, args: unknown[]): Promise<WorkflowHandle> {
    return this.client.workflow.start(workflow, {
      taskQueue: this.#taskQueue,
      workflowId: `by-hand-${randomUUID()}`,
      args,
    });
  }

  async run(workflow: string, args: unknown[]): Promise<WorkflowHandle> {
    const handle = await this.start(workflow, args);
    await handle.result();
    return handle;
  }
}
