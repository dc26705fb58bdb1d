import type { Client } from '@temporalio/client';
import { INTERPRETER, MEMO } from '../../plan/names.js';
import { STARTER, STARTER_PREFIX } from '../../plan/triggers/start.js';
import { scheduledName } from '../connection/list-schedules.js';

const OPEN_QUERY = `WorkflowType = '${INTERPRETER}' AND ExecutionStatus = 'Running'`;

/**
 * Ends the open runs that a copy of a store has with the copied database: they are the original's, which goes on with
 * them, and here they would be done and paid once more. By whose a run is its root's memo tells. Gives the roots that
 * it ended. Called before a worker polls.
 */
export async function endCarriedRuns(
  client: Client,
  { id, copiedFrom }: { id: string; copiedFrom: string },
): Promise<string[]> {
  await endCarriedStarts(client, id);
  const open = new Set<string>();
  for await (const { workflowId } of client.workflow.list({ query: OPEN_QUERY })) open.add(workflowId);
  const owners = new Map<string, unknown>();
  for (const root of new Set([...open].map(rootOf))) {
    const found = await client.workflow.getHandle(root).describe().catch(ended); // whose it is nobody knows any more
    owners.set(root, found?.memo?.[MEMO.store]);
  }
  const carried = [...open].filter((run) => (owners.get(rootOf(run)) ?? id) !== id);
  for (const run of carried)
    await client.workflow
      .getHandle(run)
      .terminate(`its project was copied from ${copiedFrom}, where it goes on`)
      .catch(ended);
  return [...new Set(carried.map(rootOf))];
}

/** Schedules of the original, and what they have begun to start: it has the same ones, and starts the same runs. */
async function endCarriedStarts(client: Client, id: string): Promise<void> {
  for await (const { scheduleId } of client.schedule.list())
    if (scheduledName({ id }, scheduleId) === null) await client.schedule.getHandle(scheduleId).delete();
  const query = `WorkflowType = '${STARTER}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of client.workflow.list({ query }))
    if (!workflowId.startsWith(`${STARTER_PREFIX}${id}/`))
      await client.workflow.getHandle(workflowId).terminate('its project was copied').catch(ended);
}

const rootOf = (run: string): string => run.split('/')[0] ?? run;

/** One that ended with the run above it is ended. What the server does not answer is thrown. */
function ended(error: unknown): undefined {
  if (!(error instanceof Error) || error.name !== 'WorkflowNotFoundError') throw error;
  return undefined;
}
