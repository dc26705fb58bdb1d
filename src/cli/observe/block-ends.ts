import { loopFailure } from '../../plan/ends.js';
import { NO_SPEND, addSpend } from '../../plan/result.js';
import type { StepEnd } from '../../plan/schedule.js';
import { endOf, errorOf } from '../../plan/schedule.js';
import type { Block, BlockStep, LoopStep } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import type { FoldScope } from './fold-scope.js';
import { holdsIn, innersOf } from './fold-scope.js';

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

/** Whether a body can pass without an event: whatever acts in it has a `when`. */
export function mayBeSilent({ steps }: Block): boolean {
  return steps.every((step) => step.kind === 'set' || step.kind === 'wait' || (isBlockStep(step) ? mayBeSilent(step.body) : step.when !== null));
}

/** Whether a loop went on after a round, as far as history tells. */
export function goesOn({ on_error, until, max }: LoopStep, round: FoldScope): boolean {
  const isCut = round.schedule.steps.some(({ failure }) => failure?.type === 'cancelled');
  const isEndedByFailure = endOf(round.schedule) === 'error' && on_error !== 'continue';
  return !isCut && !isEndedByFailure && (round.index ?? 0) + 1 < max && holdsIn(round, until) === false;
}
