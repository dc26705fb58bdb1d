import {
  copyCounts,
  countItem,
  countRound,
  courseOf,
  endOfItems,
  endOfRounds,
  noCounts,
} from '../../../plan/outcomes/course.js';
import type { Course } from '../../../plan/outcomes/course.js';
import { loopFailure, roundsText } from '../../../plan/outcomes/step-ends.js';
import { addSpend, NO_SPEND } from '../../../plan/budget/spend.js';
import type { Failure } from '../../../plan/failure.js';
import type { CarriedBlock } from '../../../plan/schedule/carried.js';
import type { StepEnd } from '../../../plan/schedule/schedule-state.js';
import { endOf } from '../../../plan/schedule/schedule.js';
import type { BlockStep, ForeachStep, LoopStep, Step } from '../../../plan/step.js';
import { isBlockStep } from '../../../plan/step.js';
import type { FoldScope } from './fold-scope.js';
import { countOf, holdsIn, innersOf, makeInner } from './fold-scope.js';

/** How a foreach or a loop ended whose items or rounds have ended, as far as they tell. */
export function blockEnd(scope: FoldScope, step: BlockStep): StepEnd {
  const before = scope.before.get(step.index);
  const spend = innersOf(scope, step).reduce(
    (sum, { schedule }) => addSpend(sum, schedule.spend),
    before?.spend ?? NO_SPEND,
  );
  return { ...(step.kind === 'loop' ? endOfLoop(scope, step, before) : endOfForeach(scope, step, before)), spend };
}

function endOfForeach(scope: FoldScope, step: ForeachStep, before: CarriedBlock | undefined): StepEnd {
  const counts = copyCounts(before?.counts ?? noCounts());
  for (const item of innersOf(scope, step)) countItem(counts, item.index ?? 0, courseIn(item));
  // Items that left no event were skipped.
  const count = countOf(scope, step.items) ?? counts.done;
  const end = endOfItems(step, { ...counts, done: Math.max(counts.done, count) }, count);
  return end.status === 'success' ? { ...end, output: null } : end;
}

function endOfLoop(scope: FoldScope, step: LoopStep, before: CarriedBlock | undefined): StepEnd {
  const counts = copyCounts(before?.counts ?? noCounts());
  const rounds = innersOf(scope, step);
  for (const round of rounds)
    countRound(counts, step, round.index ?? 0, { ...courseIn(round), isLast: round === rounds.at(-1) });
  const last = rounds.at(-1);
  const { index, failure, holds, cut } =
    last === undefined
      ? { index: counts.done - 1, failure: null, holds: null, cut: undefined, ...before?.over }
      : { index: last.index ?? 0, ...undoneIn(courseIn(last)), holds: holdsIn(last, step.until) };
  if (cut !== undefined) return { status: 'skipped', reason: cut, cut: true };
  if (failure !== null) return { status: failure.type === 'timeout' ? 'timeout' : 'error', failure };
  const missed = loopFailure(step, index + 1, holds);
  if (missed !== null) return { status: 'error', failure: missed };
  return { status: 'success', output: null, ...endOfRounds(counts, roundsText(index + 1)) };
}

function undoneIn({ failure, error, cut }: Course): { failure: Failure | null; cut: string | undefined } {
  return { failure, cut: cut === true ? (error ?? '') : undefined };
}

function courseIn({ schedule, single }: FoldScope): Course {
  return courseOf(schedule, single);
}

/**
 * Tells whether an item or a round can pass without an event: whatever acts in it has a `when`, or is there for no
 * item.
 */
export function mayBeSilent(scope: FoldScope): boolean {
  return scope.schedule.body.steps.every((step) => isSilentStep(scope, step));
}

/** Tells the same of one step. */
export function isSilentStep(scope: FoldScope, step: Step): boolean {
  if (step.kind === 'set' || step.kind === 'wait' || step.when !== null) return true;
  if (!isBlockStep(step)) return false;
  return (step.kind === 'foreach' && countOf(scope, step.items) === 0) || mayBeSilent(makeInner(scope, step, 0));
}

/** Tells whether a loop went on after a round, as far as history tells. */
export function goesOn(step: LoopStep, round: FoldScope): boolean {
  return !isBroken(step, round) && holdsIn(round, step.until) === false;
}

/** Tells whether a round that has ended is the last of its loop for sure, and what the loop came to with it. */
export function isLast(step: LoopStep, round: FoldScope): boolean {
  const holds = holdsIn(round, step.until);
  if (holds === null && !isBrokenOff(step, round)) return false;
  return isBroken(step, round) || holds === true;
}

/** Tells whether no round follows, whatever the condition says. */
function isBroken(step: LoopStep, round: FoldScope): boolean {
  return isBrokenOff(step, round) || (round.index ?? 0) + 1 >= step.max;
}

/** Tells whether a failure or a cancellation ends the loop. */
function isBrokenOff({ on_error }: LoopStep, { schedule }: FoldScope): boolean {
  const isCut = schedule.steps.some(({ failure }) => failure?.type === 'cancelled');
  const isEndedByFailure = endOf(schedule) === 'error' && on_error !== 'continue';
  return isCut || isEndedByFailure;
}
