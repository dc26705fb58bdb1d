import type { StepEnd } from '../../../plan/schedule/schedule-state.js';
import { lateNested } from '../../../plan/outcomes/step-ends.js';
import { segmentOf } from '../../../plan/plan.js';
import type { BlockStep, Step } from '../../../plan/step.js';
import { isBlockStep } from '../../../plan/step.js';
import { blockEnd, isLast } from './block-ends.js';
import type { FoldScope, Spot, Started } from './fold-scope.js';
import { countOf, innersOf } from './fold-scope.js';
import type { RunFold } from './run-fold.js';
import { isPassedOver, skipped } from './silent-ends.js';

/** History has no event for a limit that has passed: what was cut off there is told as cancelled. */
export function endInTime(fold: RunFold, { scope, step }: Spot, at: string, end: StepEnd): StepEnd {
  if (!('failure' in end) || end.failure.type !== 'cancelled' || fold.cancelling) return end;
  const time = lasted(scope.started.get(step.index), Date.parse(at));
  // The limit of a nested run is its timeout, where its step has no shorter deadline.
  if (step.kind === 'workflow' && step.timeout_ms > 0 && step.timeout_ms <= (step.deadline_ms ?? Infinity)) {
    const late = lateNested(step);
    // Where it stands still while the nested run waits for people, the time alone tells nothing: the run said why.
    const isLate =
      fold.input.settings.limits_work === true
        ? scope.started.get(step.index)?.why === `\`${segmentOf(step)}\` ${late}`
        : time >= step.timeout_ms;
    return isLate ? { ...end, ...timeoutOf(`The nested run ${late}.`) } : end;
  }
  return time >= (step.deadline_ms ?? Infinity) ? { ...end, ...deadlineEnd(step) } : end;
}

/** How a foreach or a loop ended whose items or rounds have ended, in time or not. */
export function blockEndInTime(fold: RunFold, scope: FoldScope, step: BlockStep): StepEnd {
  const end = blockEnd(scope, step);
  const inners = innersOf(scope, step);
  const isLate = isOverdue(step, scope.started.get(step.index), Math.max(...inners.map(lastEnd)));
  return isLate && !fold.cancelling && isUndone(scope, step, inners) ? { ...end, ...deadlineEnd(step) } : end;
}

/** How a step ended that others went past: one that was to be tried again had failed. */
export function endBetweenTries(step: Step, started: Started | undefined, at: string): StepEnd {
  if (started === undefined || started.lastFailure === null) return skipped(step);
  const isLate = isOverdue(step, started, Date.parse(at));
  const end: StepEnd = isLate
    ? deadlineEnd(step)
    : { status: 'error', failure: { type: 'internal', message: started.lastFailure } };
  return { ...end, attempts: started.tries };
}

/** A `wait` that is longer than its step may last. */
export function waitEnd({ for_ms, ...step }: Step & { kind: 'wait' }): StepEnd {
  const isLate = step.deadline_ms !== null && for_ms !== null && for_ms > step.deadline_ms;
  return isLate ? deadlineEnd(step) : { status: 'success', output: null };
}

function isOverdue({ deadline_ms }: Step, started: Pick<Started, 'at'> | undefined, at: number): boolean {
  return deadline_ms !== null && lasted(started, at) >= deadline_ms;
}

function lasted(started: Pick<Started, 'at'> | undefined, at: number): number {
  return started === undefined ? 0 : at - Date.parse(started.at);
}

/** Tells whether items or rounds were cut off, or are missing. */
function isUndone(scope: FoldScope, step: BlockStep, inners: FoldScope[]): boolean {
  // A deadline that passed between two items has kept the next ones from starting.
  if (inners.some((inner) => wasCut(inner) || inner.schedule.steps.some(isPassedOver))) return true;
  const last = inners.at(-1);
  if (step.kind === 'loop') return last !== undefined && !isLast(step, last);
  const known = (scope.before.get(step.index)?.counts.done ?? 0) + inners.length;
  return known < (countOf(scope, step.items) ?? 0);
}

function wasCut(scope: FoldScope): boolean {
  return scope.schedule.body.steps.some(
    (step) =>
      scope.schedule.steps[step.index]?.failure?.type === 'cancelled' ||
      (isBlockStep(step) && innersOf(scope, step).some(wasCut)),
  );
}

/** When the last of an item's or a round's steps ended that left an event, in epoch milliseconds. */
function lastEnd({ started, schedule }: FoldScope): number {
  const ends = [...started].map(([index, { at }]) => Date.parse(at) + (schedule.steps[index]?.duration_ms ?? 0));
  return Math.max(0, ...ends);
}

function deadlineEnd({ deadline_ms }: Pick<Step, 'deadline_ms'>): StepEnd {
  return timeoutOf(`The step did not end within its deadline of ${(deadline_ms ?? 0) / 1000} s.`);
}

function timeoutOf(message: string): StepEnd & { status: 'timeout' } {
  return { status: 'timeout', failure: { type: 'timeout', message } };
}
