import { INTERPRETER } from '../../plan/names.js';
import type { RunEnd, RunRecord } from '../../plan/result.js';
import { STARTER_PREFIX } from '../../plan/triggers/start.js';
import type { Store } from '../../store/store.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { Execution } from '../../workers/link/list-executions.js';
import { SERVED_ENDS } from './listed-status.js';

/** Which of the runs that have ended are read. */
export interface WantedEnds {
  /** So many, the last ended first, and one more where there are more. */
  most: number;
  /** Those alone that ended so. */
  status: RunEnd | null;
}

/** Runs that somebody started, those below a starter too. */
const ROOTS =
  `WorkflowType = '${INTERPRETER}' AND ` +
  `(ParentWorkflowId IS NULL OR ParentWorkflowId STARTS_WITH '${STARTER_PREFIX}')`;
/** Ends that leave no record. */
const FORCED: ReadonlySet<string> = new Set(['TERMINATED', 'TIMED_OUT']);
const FORCED_QUERY = `ExecutionStatus IN ('Terminated', 'TimedOut')`;
const PAGE = 1_000;

/** Records of runs that have ended; one that cannot be read is left out. */
export async function latestRecords(
  store: Pick<Store, 'closedRuns'>,
  { most, status }: WantedEnds,
): Promise<RunRecord[]> {
  const records: RunRecord[] = [];
  const atOnce = status === null && most < PAGE ? most + 1 : undefined;
  for await (const page of store.closedRuns(atOnce)) {
    for (const record of page) if (status === null || record.status === status) records.push(record);
    if (records.length > most) break;
  }
  return records;
}

/** Those of these runs that left a record. */
export async function recordsOf(store: Pick<Store, 'readRun'>, runs: string[]): Promise<RunRecord[]> {
  const records = await Promise.all(runs.map((run) => store.readRun(run).catch(() => null)));
  return records.filter((record) => record !== null);
}

/** Those that left a record which nobody can read, beside the runs that a list has. */
export async function unreadableRuns(
  store: Pick<Store, 'listRuns' | 'readRun'>,
  listed: { run: string }[],
): Promise<string[]> {
  const known = new Set(listed.map(({ run }) => run));
  const others = (await store.listRuns()).filter((run) => !known.has(run));
  const unreadable: string[] = [];
  for (const run of others)
    await store.readRun(run).catch(() => {
      unreadable.push(run);
    });
  return unreadable;
}

/** Runs that have ended as the server lists them, and how many more it has that left no record. */
export async function readEnded(
  { client, embedded, taskQueue }: TemporalLink,
  { most, status }: WantedEnds,
): Promise<{ found: Execution[]; unread: number }> {
  const ends = status === null ? null : SERVED_ENDS[status].map((end) => `'${end}'`);
  if (ends?.length === 0) return { found: [], unread: 0 };
  // Of a server that others use too, those of this store.
  const roots = embedded ? ROOTS : `${ROOTS} AND TaskQueue = '${taskQueue}'`;
  const query = `${roots} AND ExecutionStatus ${ends === null ? `!= 'Running'` : `IN (${ends.join(', ')})`}`;
  const found: Execution[] = [];
  let ended = 0;
  for await (const execution of client.workflow.list({ query, pageSize: Math.min(most + 1, PAGE) })) {
    found.push(execution);
    // A run that continues as new is one.
    if (execution.status.name !== 'CONTINUED_AS_NEW') ended += 1;
    if (ended > most) break;
  }
  if (ended <= most || status !== null) return { found, unread: 0 };
  const { count } = await client.workflow.count(`${roots} AND ${FORCED_QUERY}`);
  return { found, unread: count - found.filter(({ status: { name } }) => FORCED.has(name)).length };
}
