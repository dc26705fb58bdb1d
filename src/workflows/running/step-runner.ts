import { CancellationScope } from '@temporalio/workflow';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import { endStep, holdsSlot, skipPending, startStep } from '../../plan/schedule/schedule.js';
import type { Step } from '../../plan/step.js';
import type { Flight, RunContext, Scope } from '../state/context.js';
import { pathOf, reasonFor } from '../state/context.js';
import { shouldContinue } from '../lifecycle/continue-as-new.js';
import { releaseUnneeded } from '../devices/device-lease.js';
import { proceed } from '../budget/account.js';
import { tickClock } from '../budget/run-clock.js';
import { tellParent } from './idle-children.js';
import { hasRoomForNested } from '../state/flight.js';

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
export async function withoutSlot<T>({ context: { flight } }: Scope, step: Step, wait: () => Promise<T>): Promise<T> {
  if (!holdsSlot(step)) return wait();
  flight.activities -= 1;
  try {
    return await wait();
  } finally {
    flight.activities += 1;
  }
}

/** Runs the steps of the run's own scope. Resolves when they have ended, or when the run should continue as new. */
export function fly(top: Scope): Promise<void> {
  const { context } = top;
  return new Promise((resolve) => {
    context.flight.land = resolve;
    context.gates.onMessage = () => pump(context);
    context.purse.onChange = () => pump(context);
    enter(top, resolve);
  });
}

/** Goes on with a run that was about to continue as new. Resolves as `fly` does. */
export function flyOn(top: Scope): Promise<void> {
  const {
    context,
    context: { flight, purse },
  } = top;
  purse.isLeaving = false;
  proceed(purse);
  return new Promise((resolve) => {
    flight.land = resolve;
    if (!flight.scopes.has(top)) return resolve();
    flight.scopes.set(top, resolve);
    pump(context);
  });
}

/**
 * Runs the steps of a scope; `done` is called when the last of them has ended, and never when the run continues as new
 * before. Whoever cancels `scope.work` has what has not started skipped.
 */
export function enter(scope: Scope, done: () => void): void {
  const { context } = scope;
  context.flight.scopes.set(scope, done);
  scope.work.cancelRequested.catch(() => {
    skipPending(scope.schedule, `skipped: ${reasonFor(scope)}`);
    pump(context);
  });
  pump(context);
}

/** Starts what may start, and tells of scopes that have ended. What comes in meanwhile is done in another turn. */
export function pump(context: RunContext): void {
  const { flight } = context;
  flight.pumpAgain = true;
  if (flight.isPumping) return;
  flight.isPumping = true;
  while (flight.pumpAgain) {
    flight.pumpAgain = false;
    flight.draining = shouldContinue(context);
    for (const [scope, done] of [...flight.scopes]) {
      startReady(scope);
      if (scope.schedule.open > 0) continue;
      flight.scopes.delete(scope);
      done();
    }
  }
  flight.isPumping = false;
  tellParent(context);
  tickClock(context);
  if (
    (flight.draining || flight.broken !== undefined) &&
    flight.activities + flight.computing + flight.children === flight.queued
  ) {
    context.purse.isLeaving = true;
    flight.land();
  }
}

function startReady(scope: Scope): void {
  const { schedule, context } = scope;
  if (context.flight.draining || context.flight.broken !== undefined) return;
  // Thousands may be ready, and this is asked whenever a step ends.
  if (scope.needsSlots && !hasSlot(context)) return;
  for (const index of [...schedule.ready]) {
    const step = schedule.body.steps[index];
    if (step === undefined || !hasRoom(context, step)) continue;
    launch(scope, step);
    // Each start counts: how many are ready at one moment is not the same when the run is replayed.
    context.flight.draining = shouldContinue(context);
    if (context.flight.draining || (scope.needsSlots && !hasSlot(context))) return;
  }
}

function hasRoom(context: RunContext, step: Step): boolean {
  if (step.kind === 'workflow') return hasRoomForNested(context.flight);
  if (step.kind === 'set') return context.flight.computing < Math.min(MOST_COMPUTING, context.linkSteps);
  return !holdsSlot(step) || hasSlot(context);
}

function hasSlot({ flight, settings }: RunContext): boolean {
  return flight.activities < Math.min(settings.budget.max_parallel ?? MOST_ACTIVITIES, MOST_ACTIVITIES);
}

function launch(scope: Scope, step: Step): void {
  const { context } = scope;
  const path = pathOf(scope, step);
  const since = context.since.get(path);
  const startedAt = since ?? Date.now();
  context.since.set(path, startedAt);
  startStep(scope.schedule, step.index);
  if (since === undefined && (holdsSlot(step) || step.kind === 'set')) context.flight.started += 1;
  count(context.flight, step, 1);
  inside(scope, step, () => context.flight.runStep(scope, step, startedAt)).then(
    (end) => ended(scope, step, { duration_ms: Date.now() - startedAt, ...end }),
    (error: unknown) => {
      context.flight.broken ??= error;
      for (const open of context.flight.scopes.keys()) open.work.cancel();
      ended(scope, step, { status: 'error', failure: { type: 'internal', message: String(error) } });
    },
  );
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
  count(context.flight, step, -1);
  scope.redoable.delete(step.index);
  context.carriedGates.delete(path);
  context.conversations.delete(path);
  endStep(schedule, step.index, end);
  cancelVoided(scope);
  if (scope.outer !== null) context.flight.endedBelow += 1;
  if (schedule.stopped !== null) scope.work.cancel();
  if (context.devices.kept.size > 0) void releaseUnneeded(context); // It makes promises, and each is a cost.
  pump(context);
}

function count(flight: Flight, step: Step, by: 1 | -1): void {
  if (step.kind === 'workflow') flight.children += by;
  else if (holdsSlot(step)) flight.activities += by;
  else if (step.kind === 'set') flight.computing += by;
}
