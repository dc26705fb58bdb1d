import type { WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { INTERPRETER } from '../../plan/names.js';
import { KeyError } from '../../store/encryption/key-error.js';
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
  link: Pick<TemporalLink, 'client' | 'taskQueue'>,
  listed: Execution[],
  submitted: string[],
): Promise<Execution[]> {
  const known = new Map<string, Execution>(listed.map((execution) => [execution.workflowId, execution]));
  const asked = new Set<string>();
  const ask = async (run: string): Promise<string[]> => {
    asked.add(run);
    const now = await describe(link, run);
    if (now === null || now === 'elsewhere') return [];
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

/**
 * What a run says of itself, without delay; null for one that the server does not know, `elsewhere` for one of another
 * queue that keys seal which are not here. Throws a KeyError for such a one of this queue.
 */
export async function describe(
  { client, taskQueue }: Pick<TemporalLink, 'client' | 'taskQueue'>,
  run: string,
): Promise<WorkflowExecutionDescription | 'elsewhere' | null> {
  try {
    return await client.workflow.getHandle(run).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    if (error instanceof KeyError && (await queueOf(client, run)) !== taskQueue) return 'elsewhere';
    throw error;
  }
}

async function queueOf({ workflowService, options }: TemporalLink['client'], run: string): Promise<string> {
  const { executionConfig } = await workflowService.describeWorkflowExecution({
    namespace: options.namespace,
    execution: { workflowId: run },
  });
  return executionConfig?.taskQueue?.name ?? '';
}

/** Runs that it has started and that have not ended. */
function nestedOf({ raw }: WorkflowExecutionDescription): string[] {
  return (raw.pendingChildren ?? []).flatMap(({ workflowId, workflowTypeName }) =>
    workflowTypeName === INTERPRETER && workflowId ? [workflowId] : [],
  );
}
