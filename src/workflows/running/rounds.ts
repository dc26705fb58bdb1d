import { CancellationScope } from '@temporalio/workflow';
import type { Nothing } from '../../plan/schedule/carried-schedule.js';
import type { Course } from '../../plan/outcomes/course.js';
import { addCounts, copyCounts, countItem, countRound, courseOf, noCounts } from '../../plan/outcomes/course.js';
import type { RoundResult, RunOutcome } from '../../plan/result.js';
import { addSpend, NO_SPEND } from '../../plan/budget/spend.js';
import type { CarriedBlock } from '../../plan/schedule/carried.js';
import { endOf } from '../../plan/schedule/schedule.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { BlockStep, LoopStep } from '../../plan/step.js';
import type { Value } from '../../plan/values/value.js';
import { quick } from '../activities.js';
import type { Rounds, Scope } from '../state/context.js';
import { pathOf, reasonFor } from '../state/context.js';
import { resultsOf } from '../lifecycle/close-run.js';
import { enter, whenTraced } from './step-runner.js';
import { scopeOutput } from '../state/values.js';

/** The state of a block step that starts, or goes on after continuing as new. */
export function openRounds(scope: Scope, step: BlockStep, carried: CarriedBlock | null): Rounds {
  // What was open, and the round before, are opened by who runs them.
  const {
    items,
    next,
    end,
    over = null,
    counts,
    spend,
    pages,
    cancelled = [],
    broken = null,
    open: _open,
    last: _last,
    ...forgotten
  } = carried ?? freshBlock();
  void (forgotten satisfies Nothing);
  const rounds: Rounds = {
    step,
    items,
    next,
    ...(end === undefined ? {} : { end }),
    open: new Map(),
    last: null,
    over,
    counts: copyCounts(counts),
    spend,
    results: [],
    pages: [...pages],
    cancelled: [...cancelled],
    broken,
  };
  scope.context.rounds.set(pathOf(scope, step), rounds);
  return rounds;
}

function freshBlock(): CarriedBlock {
  return { items: null, next: 0, counts: noCounts(), spend: NO_SPEND, pages: [], open: {}, last: null };
}

/**
 * Runs the steps of one item or round. The result says how it ended; what made a single-step body fail comes as it is.
 * Also ends when it is cancelled, when all that ran in it has been cleaned up (I9): the caller looks.
 */
export async function runRound(rounds: Rounds, scope: Scope): Promise<RoundEnd> {
  const index = scope.index ?? 0;
  const startedAt = Date.now();
  rounds.open.set(index, scope);
  await new Promise<void>((resolve) => enter(scope, resolve));
  const isOver = endOf(scope.schedule) === 'error' || CancellationScope.current().consideredCancelled;
  const output = isOver ? null : await scopeOutput(scope);
  const course = courseOf(scope.schedule, scope.single);
  const { status, error, partial } = course;
  const { spend } = scope.schedule;
  const result: RoundResult = {
    index,
    status,
    output,
    error,
    ...(partial === undefined ? {} : { partial }),
    duration_ms: Date.now() - startedAt,
    ...whenTraced(scope.context, startedAt),
    spend,
    steps: resultsOf(scope),
    pages: [...scope.pages],
  };
  return { result, course };
}

/** How an item or a round ended. */
export interface RoundEnd {
  result: RoundResult;
  course: Course;
}

/** Books an item that is over: only then is it not carried on any more. */
export function settleItem(rounds: Rounds, { result, course }: RoundEnd): void {
  settle(rounds, result);
  countItem(rounds.counts, result.index, course);
}

/** Counts the end of a round of a loop; another one follows unless it `isLast`. */
export function settleRound(rounds: Rounds, step: LoopStep, { result, course }: RoundEnd, isLast: boolean): void {
  settle(rounds, result);
  countRound(rounds.counts, step, result.index, { ...course, isLast });
}

function settle(rounds: Rounds, result: RoundResult): void {
  rounds.open.delete(result.index);
  rounds.results.push(result);
  rounds.spend = addSpend(rounds.spend, result.spend);
}

/** Books the items that a batch run has done. */
export function settleBatch(rounds: Rounds, { spend, pages, items }: RunOutcome): void {
  if (items === undefined) throw new Error('The batch run does not say what its items came to');
  rounds.pages.push(...pages);
  rounds.spend = addSpend(rounds.spend, spend);
  addCounts(rounds.counts, items);
}

/**
 * Forgets the step, and stores what its rounds ended with: in pages, and with `outputs` also joined to one list, in
 * order.
 */
export async function closeRounds(
  scope: Scope,
  rounds: Rounds,
  outputs: boolean,
): Promise<Pick<StepEnd, 'pages' | 'spend'> & { output: Value | null }> {
  const { cancelled, spend } = rounds;
  // As they are now: a page of them may be under way, for a run that is about to continue as new.
  const [pages, results] = [[...rounds.pages], [...rounds.results]];
  const { spend: more = NO_SPEND, ...joined } = await quick.joinRounds({
    pages,
    results,
    outputs,
    ...(cancelled.length === 0 ? {} : { batches: cancelled }),
  });
  scope.context.rounds.delete(pathOf(scope, rounds.step));
  return { ...joined, spend: addSpend(spend, more) };
}

/** The end of a block step that was cancelled: what its rounds had come to is kept (I9). */
export async function cancelledRounds(scope: Scope, rounds: Rounds): Promise<StepEnd> {
  const closed = await CancellationScope.nonCancellable(() => closeRounds(scope, rounds, false));
  return {
    status: 'error',
    failure: { type: 'cancelled', message: `cancelled: ${reasonFor(scope)}` },
    pages: closed.pages ?? [],
    spend: closed.spend ?? rounds.spend,
  };
}
