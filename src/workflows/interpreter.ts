import { CancellationScope, CancelledFailure, allHandlersFinished, condition } from '@temporalio/workflow';
import { restoreSchedule } from '../plan/carry.js';
import type { Gate } from '../plan/gate.js';
import { segmentOf } from '../plan/plan.js';
import type { RunEnd, RunOutcome } from '../plan/result.js';
import type { RunInput } from '../plan/run-input.js';
import type { StepEnd } from '../plan/schedule.js';
import { endOf, endStep, errorOf, holdsSlot, skipPending, startStep } from '../plan/schedule.js';
import type { Step } from '../plan/step.js';
import { closeRun } from './closing.js';
import type { RunContext } from './context.js';
import { identityOf, pathOf } from './context.js';
import { continueRun, shouldContinue } from './continuing.js';
import { showDetails } from './details.js';
import { runFailure, toRunError } from './failures.js';
import { createGateBook } from './gates.js';
import type { GateBook } from './gates.js';
import { runStep } from './run-step.js';

/** At most so many activities in flight in one run, whatever `max_parallel` says, and so many nested runs (I11). */
const MOST_ACTIVITIES = 50;
const MOST_CHILDREN = 8;

/** What is going on in this Temporal run, beside what the schedule knows. */
interface Flight {
  context: RunContext;
  /** Everything that runs; cancelled as one when a failure stops the run, or from outside. */
  work: CancellationScope;
  carriedGates: Map<string, Gate>;
  activities: number;
  children: number;
  /** No more steps are started: the run is about to continue as new. */
  draining: boolean;
  /** An error of the interpreter itself. */
  broken: unknown;
}

/**
 * Runs any Plan (I2). Returns when the run succeeded, at least in part; otherwise fails with the outcome as detail, so
 * that Temporal shows a failed run as failed.
 */
export async function perdure(input: RunInput): Promise<RunOutcome> {
  const gates = createGateBook();
  try {
    // Start arguments come from outside: what is wrong with them must end the run as well (I10).
    return await interpret(openContext(input, gates), input);
  } catch (error) {
    throw toRunError(error);
  }
}

function openContext(input: RunInput, gates: GateBook): RunContext {
  const { carried } = input;
  const identity = identityOf(input);
  return {
    ...identity,
    schedule: restoreSchedule(identity.plan, carried),
    gates,
    cancelled: null,
    startedAt: carried?.started_at ?? new Date().toISOString(),
    pages: carried?.pages ?? [],
  };
}

async function interpret(context: RunContext, input: RunInput): Promise<RunOutcome> {
  for (const decision of input.carried?.decisions ?? []) context.gates.decided.set(decision.gate, decision);
  // Before `work` is made, so that it knows why it is cancelled. The promise only ever rejects (I9).
  CancellationScope.current().cancelRequested.catch(() => { context.cancelled = 'by request'; });
  const flight: Flight = {
    context, work: new CancellationScope(), carriedGates: new Map(input.carried?.gates.map((gate) => [gate.path, gate])),
    activities: 0, children: 0, draining: false, broken: null,
  };
  await flight.work.run(() => fly(flight));
  // eslint-disable-next-line @typescript-eslint/only-throw-error -- rethrown as it was caught
  if (flight.broken !== null) throw flight.broken;
  await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  if (context.schedule.open > 0) return continueRun(context, input);
  const { status, error } = endFor(context);
  const outcome = await closeRun(context, status, error);
  if (status === 'cancelled') throw new CancelledFailure('cancelled');
  if (status === 'error' || status === 'timeout') throw runFailure(outcome);
  return outcome;
}

function endFor(context: RunContext): { status: RunEnd; error: string | null } {
  if (context.cancelled !== null) return { status: 'cancelled', error: `cancelled ${context.cancelled}` };
  return { status: endOf(context.schedule), error: errorOf(context.schedule) };
}

/** Runs until every step has ended, or until nothing is in flight and the run should continue as new. */
function fly(flight: Flight): Promise<void> {
  return new Promise((resolve) => {
    const { context } = flight;
    const pump = (): void => {
      if (shouldContinue(context, flight.children)) flight.draining = true;
      startReady(flight, (step, end) => { ended(flight, step, end); pump(); });
      showDetails(context);
      const inFlight = flight.activities + flight.children;
      if (context.schedule.open === 0 || (flight.draining && inFlight === 0) || (flight.broken !== null && inFlight === 0)) resolve();
    };
    flight.work.cancelRequested.catch(() => {
      skipPending(context.schedule, `skipped: ${reasonFor(context)}`);
      pump();
    });
    context.gates.onMessage = pump;
    pump();
  });
}

function startReady(flight: Flight, onEnd: (step: Step, end: StepEnd) => void): void {
  const { schedule } = flight.context;
  if (flight.draining || flight.broken !== null) return;
  for (const index of [...schedule.ready]) {
    const step = schedule.body.steps[index];
    if (step === undefined || !hasRoom(flight, step)) continue;
    launch(flight, step, onEnd);
  }
}

function hasRoom(flight: Flight, step: Step): boolean {
  if (step.kind === 'workflow') return flight.children < MOST_CHILDREN;
  const parallel = flight.context.settings.budget.max_parallel ?? MOST_ACTIVITIES;
  return !holdsSlot(step) || flight.activities < Math.min(parallel, MOST_ACTIVITIES);
}

function launch(flight: Flight, step: Step, onEnd: (step: Step, end: StepEnd) => void): void {
  const { context } = flight;
  const startedAt = Date.now();
  startStep(context.schedule, step.index);
  count(flight, step, 1);
  const scope = { reason: () => reasonFor(context), carried: flight.carriedGates.get(pathOf(context, step)) ?? null };
  runStep(context, step, scope).then(
    (end) => onEnd(step, { duration_ms: Date.now() - startedAt, ...end }),
    (error: unknown) => {
      flight.broken ??= error;
      flight.work.cancel();
      onEnd(step, { status: 'error', failure: { type: 'internal', message: String(error) } });
    },
  );
}

function ended(flight: Flight, step: Step, end: StepEnd): void {
  const { schedule } = flight.context;
  count(flight, step, -1);
  endStep(schedule, step.index, end);
  if (schedule.stopped !== null) flight.work.cancel();
}

function count(flight: Flight, step: Step, by: 1 | -1): void {
  if (step.kind === 'workflow') flight.children += by;
  else if (holdsSlot(step)) flight.activities += by;
}

function reasonFor(context: RunContext): string {
  if (context.cancelled !== null) return 'the run was cancelled';
  const { stopped, body } = context.schedule;
  const step = stopped === null ? undefined : body.steps[stopped];
  return step === undefined ? 'the interpreter failed' : `\`${segmentOf(step)}\` failed and stops the run`;
}
