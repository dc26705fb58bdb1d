import type { Client, WorkflowHandle } from '@temporalio/client';
import type { Bench } from './environment.js';
import { sequential } from './definitions.js';

export const LONG_RUN = 2000;

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

/** One run of 2,000 sequential model calls. */
export interface LongRun {
  handle: WorkflowHandle;
  milliseconds: number;
}

const made = new WeakMap<Bench, LongRuns>();

interface LongRuns {
  ours: Promise<LongRun> | null;
  byHand: Promise<LongRun> | null;
}

/** A long run of ours, made once, for all that measure something about it. */
export function ourLongRun(bench: Bench): Promise<LongRun> {
  const runs = runsOf(bench);
  runs.ours ??= bench.ours.compile(sequential(LONG_RUN)).then((plan) => timed(() => bench.ours.run(plan)));
  return runs.ours;
}

/** The same by hand. */
export function theirLongRun(bench: Bench): Promise<LongRun> {
  const runs = runsOf(bench);
  runs.byHand ??= timed(() => bench.byHand.run('longSequence', [LONG_RUN]));
  return runs.byHand;
}

function runsOf(bench: Bench): LongRuns {
  const runs = made.get(bench) ?? { ours: null, byHand: null };
  made.set(bench, runs);
  return runs;
}

async function timed(run: () => Promise<WorkflowHandle>): Promise<LongRun> {
  const started = performance.now();
  const handle = await run();
  return { handle, milliseconds: performance.now() - started };
}

/** Histories of all links of a run that continued as new, in order. `runId` is the first link's. */
export async function chainOf(client: Client, workflowId: string, runId: string): Promise<History[]> {
  const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const next = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  return next ? [history, ...(await chainOf(client, workflowId, next))] : [history];
}
