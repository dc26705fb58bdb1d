import type { Failure } from '../failure.js';
import type { Failures, RoundCounts, RoundResult } from '../result.js';
import { addFailure, endOf, errorOf, isEnd } from '../schedule/schedule.js';
import { roundsText } from './step-ends.js';
import type { Schedule, StepEnd, StepState } from '../schedule/schedule-state.js';
import type { ForeachStep, LoopStep } from '../step.js';

/** How an item of a foreach or a round of a loop went. */
export interface Course extends Pick<RoundResult, 'status' | 'error' | 'partial'> {
  /** Why it failed; null where it did not. */
  failure: Failure | null;
  /** What failed in it was to be passed over: a later round makes up for it. */
  asked: boolean;
  /** The run was stopped before all of it was done. */
  cut?: true;
}

export function noFailures(): Failures {
  return { count: 0, first: [] };
}

export function noCounts(): RoundCounts {
  return { done: 0, succeeded: 0, failures: noFailures(), partial: noFailures(), passed: 0, cut: 0 };
}

/**
 * How an item or a round went whose steps have ended, by its steps. What made a single-step body fail comes as it is.
 * One that the run left undone, in whole or in part, is skipped.
 */
export function courseOf(schedule: Schedule, single: boolean): Course {
  const cut = schedule.steps.find((step) => step.cut === true);
  const course = endedCourse(schedule, single);
  return cut === undefined || course.failure !== null ? course : { ...course, ...leftUndone(cut), cut: true };
}

function leftUndone({ reason, note }: StepState): Pick<Course, 'status' | 'error'> {
  return { status: 'skipped', error: reason ?? note };
}

function endedCourse(schedule: Schedule, single: boolean): Course {
  const [only] = schedule.steps;
  if (single && only !== undefined && isEnd(only.status))
    return {
      status: only.status,
      failure: only.failure,
      error: only.failure?.message ?? only.reason,
      ...partialOf(only.partial),
      asked: false,
    };
  const isCancelled = schedule.steps.some(({ failure }) => failure?.type === 'cancelled');
  const told = errorOf(schedule);
  const [first] = schedule.steps;
  if (first !== undefined && schedule.steps.every(({ status }) => status === 'skipped'))
    return { status: 'skipped', failure: null, error: first.reason, asked: false };
  if (endOf(schedule) !== 'error' && !isCancelled)
    return { status: 'success', failure: null, error: null, ...partialOf(told), asked: isAllAsked(schedule) };
  const failure: Failure =
    told !== null ? { type: 'nested-failed', message: told } : { type: 'cancelled', message: 'cancelled' };
  return { status: 'error', failure, error: failure.message, asked: false };
}

function partialOf(partial: string | null): { partial?: string } {
  return partial === null ? {} : { partial };
}

/**
 * Tells whether the definition passes over all that failed in a body: by `continue`, or by `skip_dependents` where
 * nothing depends on it.
 */
function isAllAsked({ body, steps, dependents }: Schedule): boolean {
  return steps.every(({ status, partial }, index) => {
    const policy = body.steps[index]?.on_error;
    const has = status === 'error' || status === 'timeout';
    if (policy === 'continue' || (!has && partial === null)) return true;
    return has && policy === 'skip_dependents' && (dependents[index] ?? []).every(({ skip }) => !skip);
  });
}

/** Counts an item. What was cancelled is no failure of its own. */
export function countItem(counts: RoundCounts, index: number, course: Omit<Course, 'asked'>): void {
  countEnd(counts, index, course);
  if (course.partial !== undefined) addFailure(counts.partial, `${index}: ${course.partial}`);
}

/**
 * Counts a round. Of rounds that are not the last one, what was to be passed over is only noted: a later round makes up
 * for it. All else that failed in any of them goes up.
 */
export function countRound(
  counts: RoundCounts,
  step: Pick<LoopStep, 'on_error'>,
  index: number,
  { isLast, ...course }: Course & { isLast: boolean },
): void {
  countEnd(counts, index, course);
  const isNoted = !isLast && (course.asked || step.on_error === 'continue');
  const isFailure = course.failure !== null && course.failure.type !== 'cancelled';
  if (isNoted && (isFailure || course.partial !== undefined)) counts.passed += 1;
  else if (course.partial !== undefined) addFailure(counts.partial, `${index}: ${course.partial}`);
}

function countEnd(
  counts: RoundCounts,
  index: number,
  { status, failure, error, cut }: Pick<Course, 'status' | 'failure' | 'error' | 'cut'>,
): void {
  counts.done += 1;
  if (cut === true) counts.cut += 1;
  if (status === 'success') counts.succeeded += 1;
  if (failure !== null && failure.type !== 'cancelled') addFailure(counts.failures, `${index}: ${error ?? status}`);
}

/** Adds what others have counted. */
export function addCounts(counts: RoundCounts, { done, succeeded, failures, partial, passed, cut }: RoundCounts): void {
  counts.done += done;
  counts.succeeded += succeeded;
  counts.passed += passed;
  counts.cut += cut;
  for (const [into, from] of [
    [counts.failures, failures],
    [counts.partial, partial],
  ] as const) {
    for (const line of from.first) addFailure(into, line);
    into.count += from.count - from.first.length;
  }
}

/** A copy that counts on by itself. */
export function copyCounts({ failures, partial, ...numbers }: RoundCounts): RoundCounts {
  return {
    ...numbers,
    failures: { ...failures, first: [...failures.first] },
    partial: { ...partial, first: [...partial.first] },
  };
}

type Told = { status: 'success'; note: string; partial?: string; cut?: true } | (StepEnd & { status: 'error' });

/** What the items of a foreach make of it. Items that nobody did are never passed over in silence. */
export function endOfItems(
  { on_error }: Pick<ForeachStep, 'on_error'>,
  { done, succeeded, failures, partial, cut }: RoundCounts,
  count: number,
): Told {
  const failed = failures.count === 0 ? null : `${failures.count} of ${count} items failed:\n${linesOf(failures)}`;
  if (failed !== null && !(on_error === 'continue' && succeeded > 0))
    return { status: 'error', failure: { type: 'nested-failed', message: failed } };
  if (done < count)
    return {
      status: 'error',
      failure: { type: 'nested-failed', message: `${count - done} of ${count} items were not done.` },
    };
  const parts = [failed, partialText(partial, `${partial.count} of ${count} items`)]
    .filter((text) => text !== null)
    .join('\n');
  const skipped = done - succeeded - failures.count;
  const note = [
    `${succeeded} of ${count} items`,
    ...(partial.count > 0 ? [`${partial.count} in part`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ].join(', ');
  return { status: 'success', note, ...(parts === '' ? {} : { partial: parts }), ...(cut > 0 ? { cut: true } : {}) };
}

/**
 * What a loop's rounds say of what failed in them, where the loop itself did not. Where some were passed over, the note
 * counts with them those that ended in part, such as the last one.
 */
export function endOfRounds({ partial, passed }: RoundCounts, told: string): { note: string; partial?: string } {
  const text = partialText(partial, roundsText(partial.count));
  return {
    note: passed === 0 ? told : `${told}, ${passed + partial.count} of them failed in whole or in part`,
    ...(text === null ? {} : { partial: text }),
  };
}

function partialText(partial: Failures, which: string): string | null {
  return partial.count === 0 ? null : `${which} ended in part:\n${linesOf(partial)}`;
}

/**
 * What failed in a workflow that an agent started, which goes up with the agent's step whatever the agent makes of it;
 * null for nothing.
 */
export function failedBelow(end: StepEnd): string | null {
  if ('failure' in end) return end.failure.message;
  return end.status === 'success' ? (end.partial ?? null) : null;
}

/** What an agent's step says of the workflows that were started in it and failed. */
export function failedWorkflows(below: Failures): string {
  return (
    `${below.count} ${below.count === 1 ? 'workflow' : 'workflows'} that it started failed in whole or in ` +
    `part:\n${linesOf(below)}`
  );
}

/** What failed, for people: the first few, and how many more. */
export function linesOf({ count, first }: Failures): string {
  return count > first.length ? `${first.join('\n')}\n… and ${count - first.length} more` : first.join('\n');
}
