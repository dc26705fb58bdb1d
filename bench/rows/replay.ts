import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { workflowBundle } from '../../src/workers/worker/create-worker.js';
import type { Bench, Side } from '../environment.js';
import { chainOf, LONG_RUN, ourLongRun, theirLongRun } from '../long-run.js';
import type { LongRun } from '../long-run.js';
import { measurePair } from '../measure.js';
import type { Row } from '../row.js';
import { startProcess } from '../worker-process.js';
import type { AskedProcess } from '../worker-process.js';

/**
 * What a worker does that takes over a run: both sides' histories of the same 2,000 model calls are replayed, each by a
 * new worker. Both sides continue as new after as many steps, so each has three links; the links are replayed one after
 * another.
 */
export const replay: Row = {
  name: 'replay',
  workload: `replay of a ${LONG_RUN.toLocaleString('en-US')}-step run`,
  against: 'hand-written, which continues as new as often',
  unit: 'ms',
  target: { atMost: 1.35 },
  rounds: 7,
  async measure(bench, rounds) {
    const mine = await histories(bench, await ourLongRun(bench));
    const other = await histories(bench, await theirLongRun(bench));
    const events = (links: Link[]): string =>
      links.reduce((sum, { history }) => sum + (history.events?.length ?? 0), 0).toLocaleString('en-US');
    const ours = await replayer(bench, 'ours', workflowBundle().codePath, mine);
    const theirs = await replayer(bench, 'by-hand', bench.byHandBundle, other);
    try {
      const measured = await measurePair(
        () => ours.ask('replay'),
        () => theirs.ask('replay'),
        rounds,
      );
      return {
        ...measured,
        note: `events: ours ${events(mine)} in ${mine.length} links, theirs ${events(other)} in ${other.length}`,
      };
    } finally {
      await Promise.all([ours.end(), theirs.end()]);
    }
  },
};

interface Link {
  workflowId: string;
  history: Awaited<ReturnType<typeof chainOf>>[number];
}

async function histories({ ours }: Bench, { handle }: LongRun): Promise<Link[]> {
  const { workflowId, firstExecutionRunId } = handle as WorkflowHandleWithFirstExecutionRunId; // as `start` returns it
  const links = await chainOf(ours.client, workflowId, firstExecutionRunId);
  return links.map((history) => ({ workflowId, history }));
}

/** A process that replays a side's links, one after another. */
async function replayer({ folder }: Bench, side: Side, bundle: string, links: Link[]): Promise<AskedProcess> {
  const file = join(folder, `${randomUUID()}.json`);
  await writeFile(
    file,
    JSON.stringify(
      links.map(({ workflowId, history }) => ({ workflowId, history: JSON.parse(historyToJSON(history)) as unknown })),
    ),
  );
  return startProcess('replayer.js', { ...process.env, BENCH_SIDE: side, BENCH_BUNDLE: bundle, BENCH_HISTORIES: file });
}
