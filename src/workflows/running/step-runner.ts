import { CancellationScope } from '@temporalio/workflow';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import { endStep, holdsSlot, skipPending, startStep } from '../../plan/schedule/schedule.js';
import type { Step } from '../../plan/step.js';
import type { RunningSteps, RunContext, Scope } from '../state/context.js';
import { pathOf, reasonFor } from '../state/context.js';
import { shouldContinue } from '../lifecycle/continue-as-new.js';
import { releaseUnneeded } from '../devices/device-lease.js';
import { proceed } from '../budget/account.js';
import { tickClock } from '../budget/run-clock.js';
import { tellParent } from './idle-children.js';
import { hasRoomForNested } from '../state/running-steps.js';

/**
 * At most so many activities in flight in one run, whatever `max_parallel` says, so many values being computed, and so
 * many nested runs (I11).
 */
const MOST_ACTIVITIES = 50;
const MOST_COMPUTING = 50;
/**
 * Lets a person think: a step that would hold one of the `max_parallel` slots holds none meanwhile (I11), and does not
 * keep the clock going.
 */
export async function withoutSlot<T>(
  { context: { runningSteps } }: Scope,
  step: Step,
  wait: () => Promise<T>,
): Promise<T> {
  if (!holdsSlot(step)) return wait();
  runningSteps.activities -= 1;
  try {
    return await wait();
  } finally {
    runningSteps.activities += 1;
  }
}

/** Runs the steps of the run's own scope. Resolves when they have ended, or when the run should continue as new. */
export function runSteps(top: Scope): Promise<void> {
  const { context } = top;
  return new Promise((resolve) => {
    context.runningSteps.onIdle = resolve;
    context.gates.onMessage = () => startReady(context);
    context.account.onChange = () => startReady(context);
    enter(top, resolve);
  });
}

/** Goes on with a run that was about to continue as new. Resolves as `runSteps` does. */
export function resumeSteps(top: Scope): Promise<void> {
  const {
    context,
    context: { runningSteps, account },
  } = top;
  account.isLeaving = false;
  proceed(account);
  return new Promise((resolve) => {
    runningSteps.onIdle = resolve;
    if (!runningSteps.scopes.has(top)) return resolve();
    runningSteps.scopes.set(top, resolve);
    startReady(context);
  });
}

/**
 * Runs the steps of a scope; `done` is called when the last of them has ended, and never when the run continues as new
 * before. Whoever cancels `scope.work` has what has not started skipped.
 */
export function enter(scope: Scope, done: () => void): void {
  const { context } = scope;
  context.runningSteps.scopes.set(scope, done);
  scope.work.cancelRequested.catch(() => {
    skipPending(scope.schedule, `skipped: ${reasonFor(scope)}`);
    startReady(context);
  });
  startReady(context);
}

/** Starts what may start, and tells of scopes that have ended. What comes in meanwhile is done in another turn. */
export function startReady(context: RunContext): void {
  const { runningSteps } = context;
  runningSteps.pumpAgain = true;
  if (runningSteps.isPumping) return;
  runningSteps.isPumping = true;
  while (runningSteps.pumpAgain) {
    runningSteps.pumpAgain = false;
    runningSteps.draining = shouldContinue(context);
    for (const [scope, done] of [...runningSteps.scopes]) {
      startReadyIn(scope);
      if (scope.schedule.open > 0) continue;
      runningSteps.scopes.delete(scope);
      done();
    }
  }
  runningSteps.isPumping = false;
  tellParent(context);
  tickClock(context);
  if (
    (runningSteps.draining || runningSteps.broken !== undefined) &&
    runningSteps.activities + runningSteps.computing + runningSteps.children === runningSteps.queued
  ) {
    context.account.isLeaving = true;
    runningSteps.onIdle();
  }
}

function startReadyIn(scope: Scope): void {
  const { schedule, context } = scope;
  if (context.runningSteps.draining || context.runningSteps.broken !== undefined) return;
  // Thousands may be ready, and this is asked whenever a step ends.
  if (scope.needsSlots && !hasSlot(context)) return;
  for (const index of [...schedule.ready]) {
    const step = schedule.body.steps[index];
    if (step === undefined || !hasRoom(context, step)) continue;
    launch(scope, step);
    // Each start counts: how many are ready at one moment is not the same when the run is replayed.
    context.runningSteps.draining = shouldContinue(context);
    if (context.runningSteps.draining || (scope.needsSlots && !hasSlot(context))) return;
  }
}

function hasRoom(context: RunContext, step: Step): boolean {
  if (step.kind === 'workflow') return hasRoomForNested(context.runningSteps);
  if (step.kind === 'set') return context.runningSteps.computing < Math.min(MOST_COMPUTING, context.linkSteps);
  return !holdsSlot(step) || hasSlot(context);
}

function hasSlot({ runningSteps, settings }: RunContext): boolean {
  return runningSteps.activities < Math.min(settings.budget.max_parallel ?? MOST_ACTIVITIES, MOST_ACTIVITIES);
}

function launch(scope: Scope, step: Step): void {
  const { context } = scope;
  const path = pathOf(scope, step);
  const since = context.since.get(path);
  const startedAt = since ?? Date.now();
  context.since.set(path, startedAt);
  startStep(scope.schedule, step.index);
  if (since === undefined && (holdsSlot(step) || step.kind === 'set')) context.runningSteps.started += 1;
  count(context.runningSteps, step, 1);
  inside(scope, step, () => context.runningSteps.runStep(scope, step, startedAt)).then(
    (end) => ended(scope, step, { duration_ms: Date.now() - startedAt, ...whenTraced(context, startedAt), ...end }),
    (error: unknown) => {
      context.runningSteps.broken ??= error;
      for (const open of context.runningSteps.scopes.keys()) open.work.cancel();
      ended(scope, step, { status: 'error', failure: { type: 'internal', message: String(error) } });
    },
  );
}

/** When something started, where the run's trace will tell it. */
export function whenTraced({ settings }: RunContext, startedAt: number): { started_at?: number } {
  return settings.trace === undefined ? {} : { started_at: startedAt };
}

/** Steps of `finally` are cut off from cancellation (I9); others run where it reaches them. */
function inside(scope: Scope, step: Step, run: () => Promise<StepEnd>): Promise<StepEnd> {
  if (step.always) return CancellationScope.nonCancellable(run);
  const whole = scope.schedule.redoable.has(step.index) ? () => redoable(scope, step, run) : run;
  return CancellationScope.current() === scope.work ? whole() : scope.work.run(whole);
}

/** A step that may be sent back while it runs is cancelled by itself. */
function redoable(scope: Scope, step: Step, run: () => Promise<StepEnd>): Promise<StepEnd> {
  const own = new CancellationScope();
  scope.redoable.set(step.index, own);
  return own.run(run);
}

/** Cancels what runs and was sent back. */
function cancelVoided({ schedule, redoable: running }: Scope): void {
  for (const [index, own] of running) if (schedule.steps[index]?.voided) own.cancel();
}

function ended(scope: Scope, step: Step, end: StepEnd): void {
  const { context, schedule } = scope;
  const path = pathOf(scope, step);
  context.since.delete(path);
  context.tried.delete(path);
  context.madeCalls.delete(path);
  context.overdue.delete(path);
  count(context.runningSteps, step, -1);
  scope.redoable.delete(step.index);
  context.carriedGates.delete(path);
  context.conversations.delete(path);
  endStep(schedule, step.index, end);
  cancelVoided(scope);
  if (scope.outer !== null) context.runningSteps.endedBelow += 1;
  if (schedule.stopped !== null) scope.work.cancel();
  if (context.devices.kept.size > 0) void releaseUnneeded(context); // It makes promises, and each is a cost.
  startReady(context);
}

function count(runningSteps: RunningSteps, step: Step, by: 1 | -1): void {
  if (step.kind === 'workflow') runningSteps.children += by;
  else if (holdsSlot(step)) runningSteps.activities += by;
  else if (step.kind === 'set') runningSteps.computing += by;
}
