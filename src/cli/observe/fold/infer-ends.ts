import { needsBatches } from '../../../plan/schedule/batch-run.js';
import { unattendedEnd } from '../../../plan/outcomes/step-ends.js';
import type { StepEnd } from '../../../plan/schedule/schedule-state.js';
import { endOf } from '../../../plan/schedule/schedule.js';
import type { BlockStep, ForeachStep, Step } from '../../../plan/step.js';
import { isBlockStep } from '../../../plan/step.js';
import { goesOn, isSilentStep, mayBeSilent } from './block-ends.js';
import type { FoldScope } from './fold-scope.js';
import { conditionIn, countOf, innerOf, innersOf, makeInner } from './fold-scope.js';
import { blockEndInTime, endBetweenTries, waitEnd } from './late-ends.js';
import type { RunFold } from './run-fold.js';
import { isEnded, end } from './fold-ends.js';
import { setEnd, skipped } from './silent-ends.js';

export function inferAll(fold: RunFold, scope: FoldScope, at: string): void {
  for (const step of scope.schedule.body.steps) inferEnd(fold, scope, step.index, at);
}

/**
 * A step that others went past without an event of its own: a `when` that did not hold, a value that was computed, a
 * gate that the run's settings decided. What the interpreter wrote replaces this when the run has closed.
 */
export function inferEnd(fold: RunFold, scope: FoldScope, index: number, at: string): void {
  const step = scope.schedule.body.steps[index];
  if (step === undefined || isEnded({ scope, step })) return;
  for (const { step: need } of step.needs) inferEnd(fold, scope, need, at);
  for (const inner of innersOf(scope, step)) inferAll(fold, inner, at);
  if (isBlockStep(step) && conditionIn(scope, step) === true) inferSilent(fold, scope, step, at);
  // The last of the inner scopes may have ended it.
  if (!isEnded({ scope, step })) end(fold, { scope, step }, at, inferredEnd(fold, scope, step, at));
}

/** So many items and rounds of a run are played at most; of more only what the run has written tells. */
const MOST_PLAYED = 2_000;

/** Items and rounds that left no event: those in which nothing ran but what the workflow does by itself. */
function inferSilent(fold: RunFold, scope: FoldScope, step: BlockStep, at: string): void {
  // What ran in an earlier link or in batch runs has left its events elsewhere.
  if (fold.input.carried !== null) return;
  if (step.kind === 'foreach') return inferItems(fold, scope, step, at);
  // Of a loop nobody knows how many rounds there were, were there some that acted.
  let last = innersOf(scope, step).at(-1) ?? null;
  while (fold.played < MOST_PLAYED && (last === null || goesOn(step, last))) {
    const next = (last?.index ?? -1) + 1;
    const isSilent = mayBeSilent(makeInner(scope, step, next));
    if (!isSilent && !isCutShort(fold, makeInner(scope, step, next), at)) return;
    last = innerOf(scope, step, next);
    play(fold, last, at);
  }
}

/** Plays a round up to what would leave an event; tells whether a failure keeps that from starting. */
function isCutShort(fold: RunFold, round: FoldScope, at: string): boolean {
  for (const step of round.schedule.body.steps) {
    if (isEnded({ scope: round, step })) continue;
    if (!isSilentStep(round, step)) return false;
    inferEnd(fold, round, step.index, at);
  }
  return true;
}

function inferItems(fold: RunFold, scope: FoldScope, step: ForeachStep, at: string): void {
  if (step.on_error === 'stop' && innersOf(scope, step).some(({ schedule }) => endOf(schedule) === 'error')) return;
  const count = countOf(scope, step.items) ?? 0;
  if (needsBatches(step, count)) return;
  for (let index = 0; index < count && fold.played < MOST_PLAYED; index++) play(fold, innerOf(scope, step, index), at);
}

function play(fold: RunFold, scope: FoldScope, at: string): void {
  fold.played += 1;
  inferAll(fold, scope, at);
}

function inferredEnd(fold: RunFold, scope: FoldScope, step: Step, at: string): StepEnd {
  if (isBlockStep(step) && innersOf(scope, step).length > 0) return blockEndInTime(fold, scope, step);
  const holds = conditionIn(scope, step);
  switch (step.kind) {
    case 'approval':
      return (
        (step.when === null && typeof step.fallback === 'string'
          ? unattendedEnd({ kind: step.kind, content: null, fallback: step.fallback }, fold.input.settings)
          : null) ?? skipped(step)
      );
    case 'set':
      return holds === false ? skipped(step) : setEnd(scope, step);
    case 'wait':
      return holds === false ? skipped(step) : waitEnd(step);
    case 'foreach':
    case 'loop':
      return holds === false ? skipped(step) : { status: 'success', output: null };
    default:
      return endBetweenTries(step, scope.started.get(step.index), at);
  }
}
