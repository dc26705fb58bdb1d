import { loopFailure } from '../../plan/ends.js';
import { NO_SPEND, addSpend } from '../../plan/result.js';
import type { StepEnd } from '../../plan/schedule.js';
import { endOf, errorOf } from '../../plan/schedule.js';
import type { BlockStep, LoopStep } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import type { FoldScope } from './fold-scope.js';
import { countOf, holdsIn, innersOf, makeInner } from './fold-scope.js';

/** How a foreach or a loop ended whose items or rounds have ended, as far as they tell. */
export function blockEnd(scope: FoldScope, step: BlockStep): StepEnd {
  const inner = innersOf(scope, step);
  const spend = inner.reduce((sum, { schedule }) => addSpend(sum, schedule.spend), NO_SPEND);
  const counted = step.kind === 'loop' ? inner.slice(-1) : inner;
  const failed = counted.filter(({ schedule }) => endOf(schedule) === 'error');
  const message = failed.map(({ index, schedule }) => `${index ?? 0}: ${errorOf(schedule) ?? 'failed'}`).join('\n');
  const last = inner.at(-1);
  const missed = step.kind === 'loop' && last !== undefined ? loopFailure(step, (last.index ?? 0) + 1, holdsIn(last, step.until)) : null;
  if (missed !== null) return { status: 'error', failure: missed, spend };
  if (failed.length === 0) return { status: 'success', output: null, spend };
  const passes = step.kind === 'foreach' && step.on_error === 'continue' && counted.some(hasSucceeded);
  return passes ? { status: 'success', output: null, spend, partial: message } : { status: 'error', failure: { type: 'nested-failed', message }, spend };
}

/** Of an item that is one step, whether that was done: a skipped one is no success. */
function hasSucceeded({ single, schedule }: FoldScope): boolean {
  return single ? schedule.steps[0]?.status === 'success' : endOf(schedule) !== 'error';
}

/** Whether an item or a round can pass without an event: whatever acts in it has a `when`, or is there for no item. */
export function mayBeSilent(scope: FoldScope): boolean {
  return scope.schedule.body.steps.every((step) => {
    if (step.kind === 'set' || step.kind === 'wait' || step.when !== null) return true;
    if (!isBlockStep(step)) return false;
    return (step.kind === 'foreach' && countOf(scope, step.items) === 0) || mayBeSilent(makeInner(scope, step, 0));
  });
}

/** Whether a loop went on after a round, as far as history tells. */
export function goesOn({ on_error, until, max }: LoopStep, round: FoldScope): boolean {
  const isCut = round.schedule.steps.some(({ failure }) => failure?.type === 'cancelled');
  const isEndedByFailure = endOf(round.schedule) === 'error' && on_error !== 'continue';
  return !isCut && !isEndedByFailure && (round.index ?? 0) + 1 < max && holdsIn(round, until) === false;
}
