import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { INTERPRETER, MEMO } from '../../plan/names.js';
import { requirementKeysIn, requirementIn } from '../../plan/placement/requirement.js';
import type { Store } from '../../store/store.js';

interface Settling {
  client: Client;
  namespace: string;
  taskQueue: string;
  store: Pick<Store, 'homes' | 'listRuns' | 'readRun' | 'forgetRun' | 'requireWorkers'>;
  log: (line: string) => void;
}

/**
 * Sees to it that a database and a server which were brought back to two moments agree on the open runs of a queue,
 * before a worker polls: what their steps require is known in the store, and the record of a run that is open again,
 * whose server was brought back to a moment before its end, is removed.
 */
export async function settleOpenRuns({ client, namespace, taskQueue, store, log }: Settling): Promise<void> {
  if (store.homes === null) return;
  const query = `WorkflowType = '${INTERPRETER}' AND ExecutionStatus = 'Running' AND TaskQueue = '${taskQueue}'`;
  const required = new Set<string>();
  const open: string[] = [];
  for await (const { workflowId, memo } of client.workflow.list({ query, pageSize: 1000 })) {
    open.push(workflowId);
    for (const key of requirementKeysIn(memo?.[MEMO.requires])) required.add(key);
  }
  for (const key of required) await store.requireWorkers(requirementIn(key));
  const recorded = new Set(await store.listRuns());
  const isOpenAgain = async (run: string): Promise<boolean> => {
    const ended = Date.parse((await store.readRun(run))?.ended_at ?? '');
    return isBefore(ended, run, { client, namespace });
  };
  const found = await onlyThose(
    open.filter((id) => recorded.has(id)),
    isOpenAgain,
  );
  // A run that another worker closes in this moment has its record already, and has closed soon.
  if (found.length > 0) await pause(CLOSING_MS);
  for (const run of await onlyThose(found, isOpenAgain)) {
    await store.forgetRun(run);
    log(`the run ${run} is open again: the server was brought back to a moment before its end`);
  }
}

/** The task that writes a record ends within ten seconds, or is done again. */
const CLOSING_MS = 15_000;

async function onlyThose(runs: string[], isOne: (run: string) => Promise<boolean>): Promise<string[]> {
  const kept: string[] = [];
  for (const run of runs) if (await isOne(run)) kept.push(run);
  return kept;
}

/** A link of a run may end with this many events that say nothing about its workflow tasks. */
const LAST_EVENTS = 200;
/** `EVENT_TYPE_WORKFLOW_TASK_COMPLETED` of Temporal's API. */
const TASK_COMPLETED = 7;

/**
 * Tells whether a run is open and the server's history of it ends before its end: the record is written within a
 * workflow task, and where that one did not complete it will be written again.
 */
async function isBefore(
  ended: number,
  workflowId: string,
  { client, namespace }: Pick<Settling, 'client' | 'namespace'>,
): Promise<boolean> {
  const { status } = await client.workflow.getHandle(workflowId).describe();
  if (status.name !== 'RUNNING') return false;
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace,
    execution: { workflowId },
    maximumPageSize: LAST_EVENTS,
  });
  const last = history?.events?.find(({ eventType }) => Number(eventType) === TASK_COMPLETED)?.eventTime;
  return last != null && Number(last.seconds) * 1000 + (last.nanos ?? 0) / 1e6 < ended;
}
