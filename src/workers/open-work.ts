import type { Client } from '@temporalio/client';
import { MEMO } from '../plan/names.js';

/** Whether any open run has work that a worker could do now. One that only waits for people or for children has none. */
export async function hasOpenWork(client: Client): Promise<boolean> {
  for await (const run of client.workflow.list({ query: 'ExecutionStatus = "Running"' })) {
    if (await hasWork(client, { workflowId: run.workflowId, runId: run.runId, memo: run.memo })) return true;
  }
  return false;
}

async function hasWork(client: Client, run: { workflowId: string; runId: string; memo: Record<string, unknown> | undefined }): Promise<boolean> {
  const { raw } = await client.workflow.getHandle(run.workflowId, run.runId).describe();
  if ((raw.pendingActivities ?? []).length > 0) return true;
  const waiting = run.memo?.[MEMO.waiting];
  if (Array.isArray(waiting) && waiting.length > 0) return false;
  // What its children wait for or work at shows in themselves. A run that has none has a task, or a timer to come.
  return (raw.pendingChildren ?? []).length === 0;
}
