import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';

/** Starts the hand-written workflows. */
export class ByHand {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  start(workflow: string, args: unknown[]): Promise<WorkflowHandle> {
    return this.#client.workflow.start(workflow, { taskQueue: 'by-hand', workflowId: `by-hand-${randomUUID()}`, args });
  }

  async run(workflow: string, args: unknown[]): Promise<WorkflowHandle> {
    const handle = await this.start(workflow, args);
    await handle.result();
    return handle;
  }
}
