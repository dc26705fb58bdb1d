import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import { condition } from '../determinism/condition.js';
import { lateNested } from '../../plan/outcomes/step-ends.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import { segmentOf } from '../../plan/plan.js';
import type { WorkflowStep } from '../../plan/step.js';
import { spendIn } from '../failures.js';
import type { Scope } from '../state/context.js';
import { pathOf } from '../state/context.js';
import { noteOverdue } from './cut-off.js';
import { failed } from './tries.js';

/** A time that something may take, and what it comes to when that is over. */
export interface TimeLimit {
  /** 0 is no limit. */
  ms: number;
  summary: () => string;
  /** Called when the time is over, before what runs is cancelled. */
  onOver?: () => void;
  expired: () => StepEnd;
  /** Tells whether the time goes on at this moment; it always does where this is left out. */
  counts?: () => boolean;
  /** Nobody else keeps what was spent until then. */
  keepsSpend?: true;
}

/**
 * The time that one try of a nested run may take: what it works, as of any step. While all it can do is wait for
 * people the time stands still.
 */
export function limitOfNested(scope: Scope, step: WorkflowStep): TimeLimit {
  const { settings, runningSteps, root, overdue } = scope.context;
  const path = pathOf(scope, step);
  const late = lateNested(step);
  overdue.delete(path); // of the try before
  return {
    ms: step.timeout_ms,
    summary: () => `limit of ${segmentOf(step)}`,
    onOver: () => noteOverdue(scope, step, late),
    expired: () => failed({ type: 'timeout', message: `The nested run ${late}.` }),
    keepsSpend: true,
    ...(settings.limits_work === true ? { counts: () => !runningSteps.waiting.has(`${root.run}/${path}`) } : {}),
  };
}

/** Runs it, and ends it when its time is over. */
export function withinLimit(limit: TimeLimit, run: () => Promise<StepEnd>): Promise<StepEnd> {
  return limit.ms === 0 ? run() : limited(limit, run);
}

/** Cancels what runs when its time is over; everything it did is cleaned up before this returns (I9). */
async function limited(
  { ms, summary, onOver, expired, counts, keepsSpend }: TimeLimit,
  run: () => Promise<StepEnd>,
): Promise<StepEnd> {
  const work = new CancellationScope();
  const timer = new CancellationScope();
  let isOver = false;
  void timer
    .run(() => (counts === undefined ? sleep(ms, { summary: summary() }) : pass(ms, summary(), counts)))
    .then(
      () => {
        isOver = true;
        onOver?.();
        work.cancel();
      },
      () => undefined, // the work ended first
    );
  try {
    const end = await work.run(run);
    if (!isOver || !('failure' in end) || end.failure.type !== 'cancelled') return end;
    // What was done until then is told: the items of a foreach, say.
    return { ...(end.pages === undefined ? {} : { pages: end.pages }), ...expired() };
  } catch (error) {
    if (isOver && isCancellation(error)) return { ...expired(), ...(keepsSpend ? { spend: spendIn(error) } : {}) };
    throw error;
  } finally {
    timer.cancel();
  }
}

/** Resolves when so much time has passed in which `counts` held: while it does not no timer runs. */
async function pass(ms: number, summary: string, counts: () => boolean): Promise<void> {
  for (let left = ms; left > 0;) {
    await condition(counts);
    const since = Date.now();
    const stretch = new CancellationScope();
    const isOver = await stretch.run(() =>
      Promise.race([sleep(left, { summary }).then(() => true), condition(() => !counts()).then(() => false)]),
    );
    stretch.cancel();
    if (isOver) return;
    left -= Date.now() - since;
  }
}
