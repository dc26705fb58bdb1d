import type { Failure } from './failure.js';
import type { PlanBody } from './plan.js';
import { segmentOf } from './plan.js';
import type { EndStatus, RunEnd, Spend, StepResult, StepStatus } from './result.js';
import { NO_SPEND, addSpend } from './result.js';
import type { Agent, Step } from './step.js';
import { actorOf } from './step.js';
import type { Value } from './value.js';

/**
 * The one scheduler: a ready queue over `needs`. Pure and deterministic, so the workflow runs it and viewers fold
 * history with it (decision 5). It knows nothing of time, Temporal or what steps do.
 */
export interface Schedule {
  body: PlanBody;
  steps: StepState[];
  /** Steps whose needs are met and that have not started, in the order they became so. */
  ready: Set<number>;
  /** For each step, how many needs are not met. */
  blockers: number[];
  /** For each step that will be skipped once all it needs has ended: the step that dooms it. */
  doomed: Map<number, number>;
  /** For each step, who needs it. */
  dependents: { step: number; skip: boolean }[][];
  /** Steps that have not ended. */
  open: number;
  /** Steps that ended since this schedule was made, in that order. */
  ended: number[];
  /** The step whose failure stopped the run, or null. */
  stopped: number | null;
  failures: { count: number; first: string[] };
  succeeded: number;
  spend: Spend;
}

export interface StepState {
  status: StepStatus;
  output: Value | null;
  failure: Failure | null;
  /** Why it was skipped. */
  reason: string | null;
  duration_ms: number;
  attempts: number;
  spend: Spend;
  reused: boolean;
  note: string | null;
  run: string | null;
  pages: Value[];
}

/** How a step ended. A failed one carries its failure: "failed without a reason" cannot be written. */
export type StepEnd = Partial<Pick<StepState, 'attempts' | 'spend' | 'reused' | 'note' | 'run' | 'pages' | 'duration_ms'>> &
  (
    /** A nested run may succeed without an output: its last step was skipped, say. */
    | { status: 'success'; output: Value | null }
    | { status: 'error' | 'timeout'; failure: Failure }
    | { status: 'skipped'; reason: string }
  );

/** The first few failures are told in the run's error; the rest are counted. */
const TOLD_FAILURES = 5;

/** The schedule of a body before anything ran: steps without needs are ready. */
export function createSchedule(body: PlanBody): Schedule {
  const schedule: Schedule = {
    body,
    steps: body.steps.map(() => pendingState()),
    ready: new Set(),
    blockers: body.steps.map((step) => step.needs.length),
    doomed: new Map(),
    dependents: body.steps.map(() => []),
    open: body.steps.length,
    ended: [],
    stopped: null,
    failures: { count: 0, first: [] },
    succeeded: 0,
    spend: NO_SPEND,
  };
  for (const step of body.steps) {
    for (const need of step.needs) at(schedule.dependents, need.step).push({ step: step.index, skip: need.skip });
    if (step.needs.length === 0) schedule.ready.add(step.index);
  }
  return schedule;
}

function pendingState(): StepState {
  return {
    status: 'pending', output: null, failure: null, reason: null, duration_ms: 0, attempts: 0, spend: NO_SPEND,
    reused: false, note: null, run: null, pages: [],
  };
}

/** Takes a step off the ready queue. */
export function startStep(schedule: Schedule, index: number): void {
  schedule.ready.delete(index);
  at(schedule.steps, index).status = 'running';
}

/** Records how a step ended, and settles what follows from it: who becomes ready, who is skipped, who is stopped. */
export function endStep(schedule: Schedule, index: number, end: StepEnd): void {
  settle(schedule, index, end);
  if (end.status === 'error' || end.status === 'timeout') {
    const step = at(schedule.body.steps, index);
    if (end.failure.type !== 'cancelled') countFailure(schedule, step, end.failure);
    if (step.on_error === 'stop' && schedule.stopped === null && end.failure.type !== 'cancelled') schedule.stopped = index;
    if (schedule.stopped !== null) skipPending(schedule, `stopped because \`${segmentOf(at(schedule.body.steps, schedule.stopped))}\` failed`);
    release(schedule, index, step.on_error === 'skip_dependents');
  } else {
    if (end.status === 'success') schedule.succeeded += 1;
    release(schedule, index, false);
  }
}

/** Steps that were cancelled are not told: what cancelled them is. */
function countFailure(schedule: Schedule, step: Step, failure: Failure): void {
  schedule.failures.count += 1;
  if (schedule.failures.first.length < TOLD_FAILURES) schedule.failures.first.push(`${segmentOf(step)}: ${failure.message}`);
}

function settle(schedule: Schedule, index: number, end: StepEnd): void {
  const state = at(schedule.steps, index);
  const { status, ...facts } = end;
  Object.assign(state, facts, { status });
  schedule.ready.delete(index);
  schedule.open -= 1;
  schedule.ended.push(index);
  schedule.spend = addSpend(schedule.spend, state.spend);
}

/**
 * Lets dependents go on. With `skips`, those that depend on this step's success are doomed, and so are theirs: each is
 * skipped once all it needs has ended, and not before, because edges are reduced to the shortest.
 */
function release(schedule: Schedule, index: number, skips: boolean): void {
  const queue = [{ index, skips }];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const { step, skip } of at(schedule.dependents, next.index)) {
      if (next.skips && skip && !schedule.doomed.has(step)) schedule.doomed.set(step, next.index);
      if (--schedule.blockers[step]! > 0 || at(schedule.steps, step).status !== 'pending') continue; // blockers has one number a step
      const by = schedule.doomed.get(step);
      if (by === undefined) schedule.ready.add(step);
      else {
        settle(schedule, step, { status: 'skipped', reason: `skipped because \`${segmentOf(at(schedule.body.steps, by))}\` did not succeed` });
        queue.push({ index: step, skips: true });
      }
    }
  }
}

/** Everything that has not started is skipped: the run was stopped or cancelled. */
export function skipPending(schedule: Schedule, reason: string): void {
  schedule.steps.forEach((state, index) => {
    if (state.status === 'pending') settle(schedule, index, { status: 'skipped', reason });
  });
}

/** The word for how a run ended by itself; cancellation and limits are the interpreter's to say. */
export function endOf(schedule: Schedule): 'success' | 'partial' | 'error' {
  if (schedule.failures.count === 0) return 'success';
  return schedule.stopped === null && schedule.succeeded > 0 ? 'partial' : 'error';
}

/** What went wrong, for people; null when nothing did. */
export function errorOf(schedule: Schedule): string | null {
  const { count, first } = schedule.failures;
  if (count === 0) return null;
  const told = first.join('\n');
  return count > first.length ? `${told}\n… and ${count - first.length} more failed steps` : told;
}

/** A step's result in the seed's form; null while it has not ended. */
export function resultOf(schedule: Schedule, index: number, agents: Record<string, Agent>): StepResult | null {
  const state = at(schedule.steps, index);
  const step = at(schedule.body.steps, index);
  if (!isEnd(state.status)) return null;
  const { output, duration_ms, attempts, spend, reused, note, run, pages } = state;
  return {
    status: state.status,
    output,
    error: state.failure?.message ?? state.reason,
    failure: state.failure?.type ?? null,
    duration_ms,
    agent: actorOf(step, agents),
    step_index: index,
    id: step.id,
    attempts,
    spend,
    reused,
    note,
    run,
    pages,
  };
}

export function isEnd(status: StepStatus): status is EndStatus {
  return status !== 'pending' && status !== 'running';
}

/** Whether a step of this kind holds one of the `max_parallel` slots: only running activities do (I11). */
export function holdsSlot(step: Step): boolean {
  return step.kind === 'agent' || step.kind === 'command';
}

/** The letters of `Carried.statuses`. */
const LETTERS: Record<StepStatus, string> = { pending: 'p', running: 'r', success: 's', error: 'e', timeout: 't', skipped: 'k' };

export function lettersOf(schedule: Schedule): string {
  return schedule.steps.map(({ status }) => LETTERS[status]).join('');
}

/** Statuses from their letters; throws on a letter that is none. */
export function statusesFrom(letters: string): StepStatus[] {
  const statuses = Object.keys(LETTERS) as StepStatus[]; // the keys of a Record over StepStatus
  return [...letters].map((letter) => {
    const status = statuses.find((candidate) => LETTERS[candidate] === letter);
    if (status === undefined) throw new Error(`Expected a status letter, got \`${letter}\``);
    return status;
  });
}

/** The end of a run that fits a step: what a nested run's end makes of the step that started it. */
export function stepStatusOf(end: RunEnd): 'success' | 'error' | 'timeout' {
  if (end === 'success' || end === 'partial') return 'success';
  return end === 'timeout' ? 'timeout' : 'error';
}

function at<T>(list: T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`The plan has no step ${index}`);
  return item;
}
