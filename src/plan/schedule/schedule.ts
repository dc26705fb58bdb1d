import type { ModelChoice } from '../agents/model-choice.js';
import { segmentOf } from '../plan.js';
import type { Rework, Schedule, StepEnd, StepState } from './schedule-state.js';
import { mayBeRedone, redoneBy, reworkOf } from './rework.js';
import type { EndStatus, Failures, RunEnd, StepResult, StepStatus } from '../result.js';
import type { Spend } from '../budget/spend.js';
import { addSpend, NO_SPEND } from '../budget/spend.js';
import type { Agent, Block, Step } from '../step.js';
import { actorOf } from '../references/actor.js';

/** So many failures are told in the run's error; the rest are counted. */
const TOLD_FAILURES = 5;

/** The schedule of a block before anything ran: steps without needs are ready. */
export function createSchedule(body: Block): Schedule {
  const schedule: Schedule = {
    body,
    steps: body.steps.map(() => pendingState()),
    ready: new Set(),
    running: new Set(),
    blockers: body.steps.map((step) => step.needs.length),
    doomed: new Map(),
    dependents: body.steps.map(() => []),
    open: body.steps.length,
    ended: [],
    reworks: [],
    redoable: mayBeRedone(body),
    stopped: null,
    failures: { count: 0, first: [] },
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
    status: 'pending',
    output: null,
    failure: null,
    reason: null,
    duration_ms: 0,
    attempts: 0,
    spend: NO_SPEND,
    reused: false,
    note: null,
    partial: null,
    run: null,
    pages: [],
  };
}

/** Keeps which model a step asks, where that is not the one that was chosen for it. A rehearsal asks none. */
export function noteAsked(schedule: Schedule, index: number, asked: ModelChoice, chosen: string | null): void {
  const state = at(schedule.steps, index);
  if (asked.provider === 'rehearsal' || asked.model === chosen) delete state.model;
  else state.model = asked.model;
}

/** Takes a step off the ready queue. */
export function startStep(schedule: Schedule, index: number): void {
  schedule.ready.delete(index);
  schedule.running.add(index);
  at(schedule.steps, index).status = 'running';
}

/** Records how a step ended, and settles what follows from it: who becomes ready, who is skipped, who is stopped. */
export function endStep(schedule: Schedule, index: number, end: StepEnd): void {
  const rework = reworkOf(schedule, index, end);
  if (rework !== null) return sendBack(schedule, rework, end);
  if (at(schedule.steps, index).voided) return runAgain(schedule, index, end);
  settle(schedule, index, end);
  if (end.status === 'error' || end.status === 'timeout') {
    const step = at(schedule.body.steps, index);
    if (end.failure.type !== 'cancelled') countFailure(schedule, step, end.failure.message);
    if (step.on_error === 'stop' && schedule.stopped === null && end.failure.type !== 'cancelled')
      schedule.stopped = index;
    if (schedule.stopped !== null)
      skipPending(schedule, `stopped because \`${segmentOf(at(schedule.body.steps, schedule.stopped))}\` failed`);
    release(schedule, index, step.on_error === 'skip_dependents');
  } else {
    if (end.status === 'success' && end.partial !== undefined)
      countFailure(schedule, at(schedule.body.steps, index), end.partial);
    release(schedule, index, false);
  }
}

/** Adds to what a step has spent what became known after it had ended. */
export function addToEnded(schedule: Schedule, index: number, spend: Spend): void {
  const state = at(schedule.steps, index);
  state.spend = addSpend(state.spend, spend);
  schedule.spend = addSpend(schedule.spend, spend);
}

/** A rejection makes what it goes back to, and all that came after, run again: earlier approvals among it are void. */
function sendBack(schedule: Schedule, rework: Rework, end: StepEnd): void {
  schedule.reworks.push(rework);
  schedule.spend = addSpend(schedule.spend, end.spend ?? NO_SPEND);
  const redone = redoneBy(schedule.body, rework.gate);
  schedule.ended = schedule.ended.filter((index) => !redone.has(index));
  for (const index of redone) {
    const state = at(schedule.steps, index);
    if (isEnd(state.status)) forget(schedule, index);
    if (state.status === 'running' && index !== rework.gate) state.voided = true;
    else {
      schedule.steps[index] = pendingState();
      schedule.running.delete(index);
    }
    schedule.ready.delete(index);
  }
  // Failures that were only counted are told in the place of those that are taken back.
  const told = schedule.ended.flatMap((index) => failureOf(schedule, index) ?? []);
  schedule.failures.first = told.slice(0, TOLD_FAILURES);
  const doomed = doomedByEnded(schedule);
  for (const index of redone) {
    const by = doomed.get(index);
    if (by === undefined) schedule.doomed.delete(index);
    else schedule.doomed.set(index, by);
  }
  // What runs `always` is not sent back, and waits for what is.
  for (const { index, needs } of schedule.body.steps)
    schedule.blockers[index] = needs.filter(({ step }) => !isEnd(at(schedule.steps, step).status)).length;
  for (const index of redone) goOn(schedule, index);
}

/** For each step that what has ended dooms, with all that is skipped for it: the step that does. */
function doomedByEnded({ body, steps, dependents }: Schedule): Map<number, number> {
  const doomed = new Map<number, number>();
  const queue = body.steps.flatMap(({ index, on_error }) => {
    const { status } = at(steps, index);
    return on_error === 'skip_dependents' && (status === 'error' || status === 'timeout') ? [index] : [];
  });
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const { step, skip } of at(dependents, next)) {
      if (!skip || doomed.has(step)) continue;
      doomed.set(step, next);
      if (at(steps, step).status === 'skipped') queue.push(step);
    }
  }
  return doomed;
}

/** A step that was sent back goes on where nothing keeps it, also from being skipped. */
function goOn(schedule: Schedule, index: number): void {
  if (schedule.blockers[index] !== 0 || at(schedule.steps, index).status !== 'pending') return;
  if (unblock(schedule, index)) release(schedule, index, true);
}

/** Takes back that a step has ended; what it spent stays spent. */
function forget(schedule: Schedule, index: number): void {
  schedule.open += 1;
  if (failureOf(schedule, index) !== null) schedule.failures.count -= 1;
}

/** A step that was sent back while it ran has ended, in whatever way. */
function runAgain(schedule: Schedule, index: number, end: StepEnd): void {
  schedule.spend = addSpend(schedule.spend, end.spend ?? NO_SPEND);
  schedule.steps[index] = pendingState();
  schedule.running.delete(index);
  goOn(schedule, index);
}

/** Steps that were cancelled are not told: what cancelled them is. */
function countFailure(schedule: Schedule, step: Step, message: string): void {
  addFailure(schedule.failures, toldFailure(step, message));
}

function toldFailure(step: Step, message: string): string {
  return `${segmentOf(step)}: ${message}`;
}

/** What is told of a step that has failed, or in part; null of every other. */
function failureOf({ body, steps }: Schedule, index: number): string | null {
  const { failure, partial } = at(steps, index);
  const message = failure === null ? partial : failure.type === 'cancelled' ? null : failure.message;
  return message === null ? null : toldFailure(at(body.steps, index), message);
}

/** Counts a failure; the first few are also told. */
export function addFailure(failures: Failures, told: string): void {
  failures.count += 1;
  if (failures.first.length < TOLD_FAILURES) failures.first.push(told);
}

function settle(schedule: Schedule, index: number, end: StepEnd): void {
  const state = at(schedule.steps, index);
  const { feedback: _said, ...facts } = { partial: null, feedback: null, ...end };
  Object.assign(state, facts);
  schedule.ready.delete(index);
  schedule.running.delete(index);
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
      // blockers has one number a step
      if (--schedule.blockers[step]! > 0 || at(schedule.steps, step).status !== 'pending') continue;
      if (unblock(schedule, step)) queue.push({ index: step, skips: true });
    }
  }
}

/** A step that waits for nothing more is ready, or skipped where it is doomed. Tells whether it was skipped. */
function unblock(schedule: Schedule, index: number): boolean {
  const by = schedule.doomed.get(index);
  if (by === undefined) {
    schedule.ready.add(index);
    return false;
  }
  settle(schedule, index, {
    status: 'skipped',
    reason: `skipped because \`${segmentOf(at(schedule.body.steps, by))}\` did not succeed`,
  });
  return true;
}

/** Everything that has not started is skipped but what runs `always`: the scope was stopped or cancelled. */
export function skipPending(schedule: Schedule, reason: string): void {
  // Nothing runs again any more: what was sent back ends as it ends.
  for (const state of schedule.steps) delete state.voided;
  const skipped = schedule.body.steps.filter(
    ({ index, always }) => !always && at(schedule.steps, index).status === 'pending',
  );
  for (const { index } of skipped) settle(schedule, index, { status: 'skipped', reason, cut: true });
  for (const { index } of skipped) release(schedule, index, false);
}

/** The step whose output is the block's where the block names none: the last of those that do not run `always`. */
export function lastStepOf({ steps }: Pick<Block, 'steps'>): Step | undefined {
  return steps.findLast(({ always }) => !always);
}

/** The word for how a run ended by itself; cancellation and limits are the interpreter's to say. */
export function endOf(schedule: Schedule): 'success' | 'partial' | 'error' {
  if (schedule.failures.count === 0) return 'success';
  return schedule.stopped === null && hasSucceeded(schedule) ? 'partial' : 'error';
}

/** Tells whether a step has done its part: what clears up at the end is none of it. */
export function hasSucceeded({ body, steps }: Schedule): boolean {
  return body.steps.some(({ index, always }) => !always && steps[index]?.status === 'success');
}

/** What went wrong, for people; null when nothing did. */
export function errorOf(schedule: Schedule): string | null {
  const { count, first } = schedule.failures;
  if (count === 0) return null;
  const told = first.join('\n');
  return count > first.length ? `${told}\n… and ${count - first.length} more failed steps` : told;
}

/** A step's result in the documented form; null while it has not ended. */
export function resultOf(schedule: Schedule, index: number, agents: Record<string, Agent>): StepResult | null {
  const state = at(schedule.steps, index);
  const step = at(schedule.body.steps, index);
  if (!isEnd(state.status)) return null;
  const { output, duration_ms, started_at, attempts, spend, reused, note, partial, run, pages } = state;
  const { decided_by, comment, model } = state;
  return {
    status: state.status,
    output,
    error: state.failure?.message ?? state.reason,
    failure: state.failure?.type ?? null,
    duration_ms,
    ...(started_at === undefined ? {} : { started_at }),
    agent: actorOf(step, agents),
    step_index: index,
    id: step.id,
    attempts,
    spend,
    reused,
    note,
    run,
    pages,
    ...(decided_by === undefined ? {} : { decided_by }),
    ...(comment === undefined ? {} : { comment }),
    ...(partial === null ? {} : { partial }),
    ...(model === undefined ? {} : { model }),
  };
}

export function isEnd(status: StepStatus): status is EndStatus {
  return status !== 'pending' && status !== 'running';
}

/** Tells whether a step of this kind holds one of the `max_parallel` slots: only running activities do (I11). */
export function holdsSlot(step: Step): boolean {
  return step.kind === 'agent' || step.kind === 'command' || step.kind === 'tool' || step.kind === 'compile';
}

/** The letters of `Carried.statuses`. */
const LETTERS: Record<StepStatus, string> = {
  pending: 'p',
  running: 'r',
  success: 's',
  error: 'e',
  timeout: 't',
  skipped: 'k',
};
/** Of a success below which something failed. */
const PARTIAL = 'l';

export function lettersOf(schedule: Schedule): string {
  return schedule.steps.map(({ status, partial }) => (partial === null ? LETTERS[status] : PARTIAL)).join('');
}

/** Statuses from their letters; throws on a letter that is none. */
export function statusesFrom(letters: string): Pick<StepState, 'status' | 'partial'>[] {
  const statuses = Object.keys(LETTERS) as StepStatus[]; // the keys of a Record over StepStatus
  return [...letters].map((letter) => {
    const status = letter === PARTIAL ? 'success' : statuses.find((candidate) => LETTERS[candidate] === letter);
    if (status === undefined) throw new Error(`Expected a status letter, got \`${letter}\``);
    return { status, partial: letter === PARTIAL ? '' : null };
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
