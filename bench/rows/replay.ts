import { Worker } from '@temporalio/worker';
import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { limitStackTraces } from '../../src/workers/worker-options.js';
import { workflowBundle } from '../../src/workers/run-worker.js';
import { STEPS_PER_LINK } from '../by-hand/options.js';
import type { Bench } from '../environment.js';
import { chainOf, LONG_RUN, ourLongRun, theirLongRun } from '../long-run.js';
import type { LongRun } from '../long-run.js';
import { measurePair, milliseconds } from '../measure.js';
import type { Row } from '../row.js';

/**
 * What a worker does that takes over a run: both sides' histories of the same 2,000 model calls are replayed, each by a new worker.
 * Both sides continue as new every 500 steps, so each has four links; the links are replayed one after another.
 */
export const replay: Row = {
  name: 'replay',
  workload: `replay of a ${LONG_RUN.toLocaleString('en-US')}-step run (${LONG_RUN / STEPS_PER_LINK} links of ${STEPS_PER_LINK} steps)`,
  against: 'hand-written, which continues as new as often',
  unit: 'ms',
  target: { atMost: 1.3 },
  rounds: 7,
  async measure(bench, rounds) {
    const mine = await histories(bench, await ourLongRun(bench));
    const other = await histories(bench, await theirLongRun(bench));
    const { codePath: bundle } = workflowBundle();
    limitStackTraces();
    const events = (links: typeof mine): string => links.reduce((sum, { history }) => sum + (history.events?.length ?? 0), 0).toLocaleString('en-US');
    const measured = await measurePair(() => milliseconds(() => replayAll(mine, bundle)), () => milliseconds(() => replayAll(other, bench.byHandBundle)), rounds);
    return { ...measured, note: `events: ours ${events(mine)} in ${mine.length} links, theirs ${events(other)} in ${other.length}` };
  },
};

type Link = { workflowId: string; history: Awaited<ReturnType<typeof chainOf>>[number] };

async function histories({ ours }: Bench, { handle }: LongRun): Promise<Link[]> {
  const { workflowId, firstExecutionRunId } = handle as WorkflowHandleWithFirstExecutionRunId; // as `start` returns it
  const links = await chainOf(ours.client, workflowId, firstExecutionRunId);
  return links.map((history) => ({ workflowId, history }));
}

async function replayAll(links: Link[], codePath: string): Promise<void> {
  for await (const { error } of Worker.runReplayHistories({ workflowBundle: { codePath } }, links)) {
    if (error !== undefined) throw error;
  }
}
