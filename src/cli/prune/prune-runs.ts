import type { WorkflowExecutionInfo } from '@temporalio/client';
import { ORIGINS } from '../../activities/made/registry.js';
import { INTERPRETER } from '../../plan/names.js';
import type { RunRecord } from '../../plan/result.js';
import { oldJournals, removeJournals, removeRun, removeUnnamedFiles } from '../../store/prune-files.js';
import type { TemporalLink } from '../../workers/temporal-link.js';
import { readRecords } from '../observe/list-runs.js';
import { rootOf } from '../observe/view.js';
import type { Session } from '../session.js';

/** What was removed, or would be. */
export interface Pruned {
  /** Root runs. */
  runs: string[];
  /** Journals of answers that no run needs any more. */
  journals: number;
  /** Open runs: of those, and of what they may reuse, nothing is removed. */
  open: number;
}

/** What is old, before anything is removed. */
interface Old {
  runs: string[];
  executions: WorkflowExecutionInfo[];
  journals: string[];
  open: number;
}

/** Removes runs that closed before a time: the server's histories, records, logs and journals. Values stay: later runs may name them. */
export async function pruneRuns({ before, dryRun }: { before: Date; dryRun: boolean }, session: Session): Promise<Pruned> {
  const link = session.mayKnowRuns() ? await session.connect({ start: true }) : null;
  try {
    const { stateDir } = session.project;
    const old = findOld({ before, executions: link === null ? [] : await executionsOf(link), records: await readRecords(session.store) });
    const journals = old.open > 0 ? [] : await oldJournals(stateDir, { before, keep: old.keep });
    if (!dryRun) await remove({ ...old, journals }, stateDir, link);
    return { runs: old.runs, journals: journals.length, open: old.open };
  } finally {
    await link?.close();
  }
}

function findOld({ before, executions, records }: { before: Date; executions: WorkflowExecutionInfo[]; records: RunRecord[] }): Omit<Old, 'journals'> & { keep: string[] } {
  const open = new Set(executions.filter(({ status }) => status.name === 'RUNNING').map(({ workflowId }) => rootOf(workflowId)));
  const isOld = ({ run, ended_at }: RunRecord): boolean => !open.has(run) && new Date(ended_at) < before;
  const kept = records.filter((record) => !isOld(record));
  const keptRuns = new Set(kept.map(({ run }) => run));
  // A run that was terminated has left no record.
  const closed = executions.filter(({ workflowId, closeTime }) => closeTime !== undefined && closeTime < before && !open.has(rootOf(workflowId)) && !keptRuns.has(rootOf(workflowId)));
  const runs = new Set([...records.filter(isOld).map(({ run }) => run), ...closed.map(({ workflowId }) => rootOf(workflowId))]);
  return { runs: [...runs].sort(), executions: closed, open: open.size, keep: [ORIGINS, ...kept.flatMap(({ journal }) => journal ?? [])] };
}

async function executionsOf({ client }: TemporalLink): Promise<WorkflowExecutionInfo[]> {
  const executions: WorkflowExecutionInfo[] = [];
  for await (const execution of client.workflow.list({ query: `WorkflowType = '${INTERPRETER}'`, pageSize: 1000 })) executions.push(execution);
  return executions;
}

/** The server's histories first: a record that is still there is found again should this be cut short. */
async function remove({ runs, executions, journals }: Old, stateDir: string, link: TemporalLink | null): Promise<void> {
  for (const { workflowId, runId } of executions) await forget(link, workflowId, runId);
  for (const run of runs) await removeRun(stateDir, run);
  await removeJournals(stateDir, journals);
  await removeUnnamedFiles(stateDir);
}

async function forget(link: TemporalLink | null, workflowId: string, runId: string): Promise<void> {
  const NOT_FOUND = 5;
  try {
    await link?.client.workflowService.deleteWorkflowExecution({ namespace: link.namespace, workflowExecution: { workflowId, runId } });
  } catch (error) {
    if ((error as { code?: unknown }).code !== NOT_FOUND) throw error; // gRPC's own number
  }
}
