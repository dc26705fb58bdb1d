import type { WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { INTERPRETER } from '../../plan/names.js';
import type { Execution } from '../../workers/link/list-executions.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';

/** So many runs are asked at most; what is known of others is as the server lists it. */
const MOST = 100;
/** Of those that are not listed: a few are late, others were lost long ago. */
const MOST_UNLISTED = 20;
const AT_ONCE = 10;

/**
 * Open runs as they are now, the nested ones that they wait for included: what the server lists follows them by a
 * moment. `submitted` are root runs that may be open and not be listed yet, the latest first.
 */
export async function asOfNow(
  { client }: Pick<TemporalLink, 'client'>,
  listed: Execution[],
  submitted: string[],
): Promise<Execution[]> {
  const known = new Map<string, Execution>(listed.map((execution) => [execution.workflowId, execution]));
  const asked = new Set<string>();
  const ask = async (run: string): Promise<string[]> => {
    asked.add(run);
    const now = await describe(client, run);
    if (now === null) return [];
    known.set(run, now);
    return now.status.name === 'RUNNING' ? nestedOf(now) : [];
  };
  const open = listed
    .filter(({ status }) => status.name === 'RUNNING')
    .sort((a, b) => b.startTime.getTime() - a.startTime.getTime());
  const unlisted = submitted.filter((run) => !known.has(run)).slice(0, MOST_UNLISTED);
  let next = [...unlisted, ...open.map(({ workflowId }) => workflowId)];
  while (next.length > 0 && asked.size < MOST) {
    const some = next.splice(0, Math.min(AT_ONCE, MOST - asked.size));
    const nested = (await Promise.all(some.map(ask))).flat();
    next = [...nested.filter((run) => !known.has(run)), ...next].filter((run) => !asked.has(run));
  }
  return [...known.values()];
}

/** What a run says of itself, without delay; null for one that the server does not know. */
export async function describe(
  client: TemporalLink['client'],
  run: string,
): Promise<WorkflowExecutionDescription | null> {
  try {
    return await client.workflow.getHandle(run).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** Runs that it has started and that have not ended. */
function nestedOf({ raw }: WorkflowExecutionDescription): string[] {
  return (raw.pendingChildren ?? []).flatMap(({ workflowId, workflowTypeName }) =>
    workflowTypeName === INTERPRETER && workflowId ? [workflowId] : [],
  );
}
