import type { WorkflowExecutionInfo } from '@temporalio/client';
import { ORIGINS } from '../../activities/made/registry.js';
import { quotaScope } from '../../activities/attempt/quota.js';
import { dayOf } from '../../plan/budget/quota.js';
import { INTERPRETER } from '../../plan/names.js';
import type { RunRecord } from '../../plan/result.js';
import { STARTER } from '../../plan/triggers/start.js';
import type { SubmittedRun } from '../../store/records/submitted-files.js';
import type { Store } from '../../store/store.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import { grpcTrouble } from '../grpc.js';
import { latestRecords } from '../observe/ended-runs.js';
import { describe } from '../observe/as-of-now.js';
import { lastLinks } from '../observe/list-runs.js';
import { notedServer } from '../observe/lost-runs.js';
import { isOwnRun } from '../observe/own-runs.js';
import { rootOf } from '../observe/view/view.js';
import type { Session } from '../session.js';
import { neededBy } from './needed-runs.js';

/** What was removed, or would be. */
export interface Pruned {
  /** Root runs. */
  runs: string[];
  /** Journals of answers that no run needs any more. */
  journals: number;
  /** Open runs: of those, and of what they take work from, nothing is removed. */
  open: number;
}

/** What is old, before anything is removed. */
interface Old {
  runs: string[];
  executions: WorkflowExecutionInfo[];
  journals: string[];
  open: number;
}

/**
 * Removes runs that closed before a time: records, logs and journals, and the histories of a server of ours. Values
 * stay: later runs may name them. A server elsewhere keeps its histories for as long as it is told to.
 */
export async function pruneRuns(
  { before, dryRun }: { before: Date; dryRun: boolean },
  session: Session,
): Promise<Pruned> {
  const link = session.mayKnowRuns() ? await session.connect({ start: true }) : null;
  try {
    const { store, isElsewhere } = session;
    const submitted = await store.listUnrecorded();
    const executions = link === null ? [] : await executionsOf(link, INTERPRETER, isElsewhere);
    const listed = new Set(executions.map(({ workflowId }) => rootOf(workflowId)));
    const records = await latestRecords(store, { most: Infinity, status: null });
    const unlisted = await asEnded(
      submitted.filter(({ run }) => !listed.has(run)),
      { before, store, link },
    );
    const forgotten = [...unlisted].flatMap(([run, hasEnded]) => (hasEnded ? [run] : []));
    const goOn = [...unlisted].flatMap(([run, hasEnded]) => (hasEnded ? [] : [run]));
    const open = new Set([...openOf(executions), ...goOn]);
    const needed = await neededBy(open, records, store);
    const old = findOld({ before, executions, records, forgotten, open, needed, isElsewhere });
    const journals = old.open > 0 ? [] : await store.listOldJournals({ before, keep: old.keep });
    if (!dryRun) {
      await remove({ ...old, journals }, store, link);
      const starters = link === null || isElsewhere ? [] : await oldStarters(link, before);
      for (const { workflowId, runId } of starters) await forget(link, workflowId, runId);
    }
    return { runs: old.runs, journals: journals.length, open: old.open };
  } finally {
    await link?.close();
  }
}

interface Known {
  before: Date;
  executions: WorkflowExecutionInfo[];
  records: RunRecord[];
  /** Runs that ended long ago, left no record, and that the server does not list. */
  forgotten: string[];
  open: Set<string>;
  /** Runs that an open one takes work from. */
  needed: Set<string>;
  /** Its server's histories stay. */
  isElsewhere: boolean;
}

function findOld({
  before,
  executions,
  records,
  forgotten,
  open,
  needed,
  isElsewhere,
}: Known): Omit<Old, 'journals'> & { keep: string[] } {
  const isFree = (run: string): boolean => !open.has(run) && !needed.has(run);
  const isOld = ({ run, ended_at }: RunRecord): boolean => isFree(run) && new Date(ended_at) < before;
  const kept = records.filter((record) => !isOld(record));
  const keptRuns = new Set(kept.map(({ run }) => run));
  // A run that was terminated has left no record. It ended when the last of all its Temporal runs did.
  const ends = new Map<string, number>();
  for (const { workflowId, closeTime } of executions)
    ends.set(rootOf(workflowId), Math.max(ends.get(rootOf(workflowId)) ?? 0, closeTime?.getTime() ?? 0));
  const closed = executions.filter(
    ({ workflowId }) =>
      !isElsewhere &&
      (ends.get(rootOf(workflowId)) ?? 0) < before.getTime() &&
      isFree(rootOf(workflowId)) &&
      !keptRuns.has(rootOf(workflowId)),
  );
  const runs = new Set([
    ...records.filter(isOld).map(({ run }) => run),
    ...closed.map(({ workflowId }) => rootOf(workflowId)),
    ...forgotten.filter(isFree),
  ]);
  return {
    runs: [...runs].sort(),
    executions: closed,
    open: open.size,
    keep: [ORIGINS, quotaScope(dayOf(Date.now())), ...kept.flatMap(({ journal }) => journal ?? [])],
  };
}

/** Root runs that go on. One that has just continued as new is in the list a moment before its next link is. */
function openOf(executions: WorkflowExecutionInfo[]): string[] {
  return lastLinks(executions)
    .filter(({ status }) => status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW')
    .map(({ workflowId }) => rootOf(workflowId));
}

/** A submission is a start soon; what the server does not know much later it has forgotten. */
const STARTING_MS = 3_600_000;

/**
 * Which of these runs ended before a time: those that the server says so of, and those that it was given and has
 * forgotten. Of a run that was given to another server nobody here knows: it may wait there, for a person or a worker.
 */
async function asEnded(
  submitted: SubmittedRun[],
  { before, store, link }: { before: Date; store: Store; link: TemporalLink | null },
): Promise<Map<string, boolean>> {
  const here = link === null || submitted.length === 0 ? undefined : await notedServer(link, store);
  const started = Math.min(before.getTime(), Date.now() - STARTING_MS);
  const ended = new Map<string, boolean>();
  for (const { run, server, submitted_at } of submitted) {
    const known = link === null ? null : await describe(link, run);
    const isOwn = link !== null && known !== null && known !== 'elsewhere' && isOwnRun(known, link, store);
    const found = isOwn ? known : null;
    const isForgotten = server === here && Date.parse(submitted_at) < started;
    ended.set(run, found === null ? isForgotten : (found.closeTime ?? new Date()) < before);
  }
  return ended;
}

/** Of a server that others use too, those of this store. */
async function executionsOf(
  { client, taskQueue }: TemporalLink,
  type: string,
  isElsewhere = false,
): Promise<WorkflowExecutionInfo[]> {
  const executions: WorkflowExecutionInfo[] = [];
  const query = `WorkflowType = '${type}'${isElsewhere ? ` AND TaskQueue = '${taskQueue}'` : ''}`;
  for await (const execution of client.workflow.list({ query, pageSize: 1000 })) executions.push(execution);
  return executions;
}

/** What has started runs, and closed before. */
async function oldStarters(link: TemporalLink, before: Date): Promise<WorkflowExecutionInfo[]> {
  return (await executionsOf(link, STARTER)).filter(({ closeTime }) => closeTime !== undefined && closeTime < before);
}

/**
 * The server's histories first: a record that is still there is found again should this be cut short. Of a run its
 * first links go first: by the last one it is seen to have ended.
 */
async function remove({ runs, executions, journals }: Old, store: Store, link: TemporalLink | null): Promise<void> {
  for (const { workflowId, runId } of [...executions].sort((a, b) => a.startTime.getTime() - b.startTime.getTime()))
    await forget(link, workflowId, runId);
  for (const run of runs) await store.removeRun(run);
  await store.removeJournals(journals);
  await store.removeUnnamedFiles();
}

async function forget(link: TemporalLink | null, workflowId: string, runId: string): Promise<void> {
  try {
    await link?.client.workflowService.deleteWorkflowExecution({
      namespace: link.namespace,
      workflowExecution: { workflowId, runId },
    });
  } catch (error) {
    if (grpcTrouble(error) !== 'not-found') throw error;
  }
}
