import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { restoreSchedule } from '../../plan/schedule/carried-schedule.js';
import { endOfRounds } from '../../plan/outcomes/course.js';
import { loopFailure, roundsText } from '../../plan/outcomes/step-ends.js';
import type { Failure } from '../../plan/failure.js';
import type { RoundCounts } from '../../plan/result.js';
import type { CarriedBlock, LastRound } from '../../plan/schedule/carried.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { LoopStep } from '../../plan/step.js';
import type { Scope } from '../state/context.js';
import { innerScope, pathOf } from '../state/context.js';
import type { RoundEnd } from '../running/rounds.js';
import { cancelledRounds, closeRounds, openRounds, runRound, settleRound } from '../running/rounds.js';
import { conditionHolds } from '../state/values.js';
import { ownOf } from '../../plan/values/own.js';

/**
 * Its body round after round, until the condition holds in the round that has just ended, or `max` rounds are over. A
 * round that fails ends it, unless `on_error` is `continue`: then it is a round like any other.
 */
export async function runLoop(scope: Scope, step: LoopStep): Promise<StepEnd> {
  const carried = ownOf(scope.context.carriedBlocks, pathOf(scope, step)) ?? null;
  const rounds = openRounds(scope, step, carried);
  if (rounds.over !== null) return endOfLoop(step, rounds, rounds.over, await closeRounds(scope, rounds, false));
  rounds.last = carried?.last ? restoreSchedule(step.body, carried.last) : null;
  for (let index = firstRound(carried, rounds.next); ; index++) {
    rounds.next = index + 1;
    const round = innerScope(scope, step, { index, item: null, last: rounds.last }, carried?.open[index] ?? null);
    const end = await runRound(rounds, round);
    const { failure, cut } = end.course;
    const goesOn = cut !== true && (failure === null || isPassedOver(step, failure));
    const holds = goesOn && (await holdsAfter(round, step));
    const isLast = !goesOn || holds || index + 1 >= step.max;
    settleRound(rounds, step, end, isLast);
    if (CancellationScope.current().consideredCancelled) return cancelledRounds(scope, rounds);
    if (isLast) {
      rounds.over = lastRound(end, holds);
      return endOfLoop(step, rounds, rounds.over, await closeRounds(scope, rounds, false));
    }
    rounds.last = round.schedule;
  }
}

/** The round that was under way when the run continued as new, else the next one. */
function firstRound(carried: CarriedBlock | null, next: number): number {
  const [reopened] = Object.keys(carried?.open ?? {}).map(Number);
  return reopened ?? next;
}

/** A cancellation that comes meanwhile is seen where the round is booked: what it has come to is kept. */
async function holdsAfter(round: Scope, step: LoopStep): Promise<boolean> {
  return conditionHolds(round, step, 'until').catch((error: unknown) => {
    if (isCancellation(error)) return false;
    throw error;
  });
}

function isPassedOver({ on_error }: LoopStep, { type }: Failure): boolean {
  return on_error === 'continue' && type !== 'cancelled';
}

function lastRound({ result: { index, status, output }, course }: RoundEnd, holds: boolean): LastRound {
  const { failure, error, cut } = course;
  return { index, status, output, failure, holds, ...(cut === true ? { cut: error ?? '' } : {}) };
}

function endOfLoop(
  step: LoopStep,
  { counts }: { counts: RoundCounts },
  { index, status, output, failure, holds, cut }: LastRound,
  closed: Awaited<ReturnType<typeof closeRounds>>,
): StepEnd {
  if (failure !== null) return { status: status === 'timeout' ? 'timeout' : 'error', failure, ...closed };
  if (cut !== undefined) return { status: 'skipped', reason: cut, cut: true, ...closed };
  const missed = loopFailure(step, index + 1, holds);
  if (missed !== null) return { status: 'error', failure: missed, ...closed };
  const told = roundsText(index + 1);
  return {
    status: 'success',
    ...closed,
    output,
    ...endOfRounds(counts, holds ? told : `${told}, without the condition`),
  };
}
