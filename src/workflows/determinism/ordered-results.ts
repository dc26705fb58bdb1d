import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import type { ActivateInput, WorkflowInterceptors } from '@temporalio/workflow';
import { NEXT_TASK_ID } from '../../plan/names.js';
import { acting } from '../activities.js';
import { idle } from './condition.js';

/**
 * Local activities of one workflow task, then the next one begins. The SDK tells the server of a long task that it goes
 * on only in a moment when no result waits to be told; on a busy machine there is none, and the server gives the task
 * to the worker again.
 */
const ROW = 50;

/** Named as no path is: the SDK would number it, and steps without an id have numbers. */
const NEXT_TASK = {
  activityId: NEXT_TASK_ID,
  startToCloseTimeout: '10s',
  retry: { initialInterval: '100ms', maximumInterval: '10s' },
  summary: 'next row of quick steps',
} as const;

type Jobs = NonNullable<ActivateInput['activation']['jobs']>;

/** What the interceptors of one Temporal run know of it. */
interface Progress {
  /** The workflow has returned: what still comes changes nothing, and may not. */
  isOver: boolean;
  /** Local activities that were started in the workflow task that begins at this length of the history. */
  row: { historyLength: number; length: number };
  /** Resolves in the next workflow task; null where the next local activity may start in this one. */
  rest: Promise<void> | null;
}

/**
 * Tells a run what its local activities came to one after another, with all that follows from one before the next. The
 * results of those that ended one after another come together when the run is replayed, and on a busy machine when it
 * is not: told together, what follows from each would be done in another order than the first time, and a run that does
 * otherwise than its history says is given to the worker for ever. And starts no more of them in one workflow task than
 * it can answer in time. The SDK makes one of these for each Temporal run.
 */
export function interceptors(): WorkflowInterceptors {
  const progress: Progress = { isOver: false, row: { historyLength: 0, length: 0 }, rest: null };
  return {
    inbound: [
      {
        execute: (input, next) =>
          next(input).finally(() => {
            progress.isOver = true;
          }),
      },
    ],
    outbound: [
      {
        scheduleLocalActivity: (input, next) => {
          const start = (): Promise<unknown> => restBefore(progress)?.then(start) ?? next(input);
          return start();
        },
      },
    ],
    internals: [
      {
        activate: (input, next) => {
          const { jobs } = input.activation;
          const results = jobs?.filter(isResult) ?? [];
          if (!jobs || jobs.length < 2 || results.length === 0) return next(input);
          const tell = (some: Jobs): void => next({ ...input, activation: { ...input.activation, jobs: some } });
          const others = jobs.filter((job) => !isResult(job));
          tell(others.length > 0 ? others : results.splice(0, 1));
          void CancellationScope.nonCancellable(() => tellOrdered(progress, results, tell));
        },
      },
    ],
  };
}

function isResult({ resolveActivity }: Jobs[number]): boolean {
  return resolveActivity?.isLocal === true;
}

async function tellOrdered(progress: Progress, results: Jobs, tell: (some: Jobs) => void): Promise<void> {
  for (const result of results) {
    await idle();
    if (progress.isOver) return;
    tell([result]);
  }
}

/** What the next local activity has to wait for; null for nothing. Those that wait start in the order they came in. */
function restBefore(progress: Progress): Promise<void> | null {
  const { historyLength } = workflowInfo();
  if (progress.row.historyLength !== historyLength) progress.row = { historyLength, length: 0 };
  if (progress.rest === null && progress.row.length >= ROW) {
    progress.rest = CancellationScope.nonCancellable(nextTask).then(() => {
      progress.rest = null;
    });
  }
  if (progress.rest === null) progress.row.length += 1;
  return progress.rest;
}

/** Resolves in the next workflow task. An activity begins it within milliseconds; a timer fires up to a second late. */
function nextTask(): Promise<void> {
  return acting.beginTask.executeWithOptions(NEXT_TASK, []);
}
