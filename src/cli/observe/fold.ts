import { restoreSchedule } from '../../plan/carry.js';
import { countedOnce, decidedEnd, nestedEnd, unattendedEnd } from '../../plan/ends.js';
import type { Gate } from '../../plan/gate.js';
import { refusalOf } from '../../plan/gate.js';
import type { Decision } from '../../plan/gate.js';
import { segmentOf } from '../../plan/plan.js';
import { nextTryDelay } from '../../plan/policy.js';
import type { RunOutcome, Spend, StepResult } from '../../plan/result.js';
import { NO_SPEND, addSpend } from '../../plan/result.js';
import type { ReadRunInput } from '../../plan/run-input.js';
import type { Schedule, StepEnd } from '../../plan/schedule.js';
import { endStep, isEnd, skipPending, startStep } from '../../plan/schedule.js';
import type { Step } from '../../plan/step.js';
import type { RunEvent } from './events.js';

/** What the history of one run says so far, folded by the scheduler that the interpreter runs (decision 5). */
export interface RunFold {
  /** Its workflow id. */
  run: string;
  input: ReadRunInput;
  schedule: Schedule;
  startedAt: string;
  endedAt: string | null;
  /** Steps that have started, by index. */
  started: Map<number, Started>;
  gates: Gate[];
  decided: Map<string, Decision>;
  cancelling: boolean;
  outcome: RunOutcome | null;
  /** What the interpreter itself wrote of its steps, read from the store when the run has closed; by index. */
  results: Map<number, StepResult>;
}

/** A step that has started. */
export interface Started {
  at: string;
  tries: number;
  lastFailure: string | null;
  /** What its failed tries spent. */
  spent: Spend;
}

/** Starts a fold with a run's first event. */
export function openFold(run: string, event: RunEvent & { kind: 'run-started' }): RunFold {
  const { input, at } = event;
  return {
    run, input, schedule: restoreSchedule(input.plan, input.carried), startedAt: input.carried?.started_at ?? at, endedAt: null,
    started: new Map(), gates: input.carried?.gates ?? [], decided: new Map(), cancelling: false, outcome: null, results: new Map(),
  };
}

/** Takes the next event in. Events of steps that the Plan does not have are passed over: they are not ours. */
export function applyEvent(fold: RunFold, event: RunEvent): void {
  switch (event.kind) {
    case 'step-started':
      return start(fold, stepAt(fold, event.path), event.at);
    case 'step-succeeded':
      if (event.quick) start(fold, stepAt(fold, event.path), event.at);
      return end(fold, stepAt(fold, event.path), event.at, { status: 'success', ...event.output });
    case 'step-failed':
      if (event.quick) start(fold, stepAt(fold, event.path), event.at);
      return fail(fold, stepAt(fold, event.path), event);
    case 'nested-started':
      return start(fold, nestedStep(fold, event.run), event.at);
    case 'nested-ended':
      return end(fold, nestedStep(fold, event.run), event.at, nestedStepEnd(event));
    case 'gates':
      fold.gates = event.gates;
      return fold.gates.forEach((gate) => {
        if (gate.kind === 'approval') start(fold, stepAt(fold, gate.path), gate.since);
      });
    case 'decided':
      return decide(fold, event.decision, event.at);
    case 'cancel-requested':
      fold.cancelling = true;
      return;
    case 'run-ended':
      return close(fold, event);
    case 'run-started':
    case 'run-continued':
      return;
  }
}

function stepAt(fold: RunFold, path: string): Step | undefined {
  const below = fold.input.path === '' ? path : path.slice(fold.input.path.length + 1);
  return fold.input.plan.steps.find((step) => segmentOf(step) === below);
}

function nestedStep(fold: RunFold, run: string): Step | undefined {
  return fold.input.plan.steps.find((step) => `${fold.run}/${segmentOf(step)}` === run);
}

function start(fold: RunFold, step: Step | undefined, at: string): void {
  if (step === undefined || isEnded(fold, step.index)) return;
  for (const { step: need } of step.needs) inferEnd(fold, need, at);
  const before = fold.started.get(step.index);
  if (before === undefined) startStep(fold.schedule, step.index);
  // A gate that is shown again has not started again.
  if (step.kind === 'approval' && before !== undefined) return;
  fold.started.set(step.index, { ...(before ?? { at, lastFailure: null, spent: NO_SPEND }), tries: (before?.tries ?? 0) + 1 });
}

/**
 * A step that others went past without an event of its own: a `when` that did not hold, or a gate that the run's
 * settings decided. What the interpreter wrote replaces this when the run has closed.
 */
function inferEnd(fold: RunFold, index: number, at: string): void {
  const step = fold.input.plan.steps[index];
  if (step === undefined || isEnded(fold, index)) return;
  for (const { step: need } of step.needs) inferEnd(fold, need, at);
  const gateEnd = step.kind === 'approval' && step.when === null ? unattendedEnd({ content: null, fallback: step.fallback }, fold.input.settings) : null;
  if (gateEnd !== null) end(fold, step, at, gateEnd);
  else endStep(fold.schedule, index, { status: 'skipped', reason: '`when` is false' });
}

function end(fold: RunFold, step: Step | undefined, at: string, stepEnd: StepEnd): void {
  if (step === undefined || isEnded(fold, step.index)) return;
  const started = fold.started.get(step.index);
  const duration_ms = started === undefined ? 0 : Math.max(0, Date.parse(at) - Date.parse(started.at));
  const spend = countedOnce(step, started?.tries ?? 1, addSpend(started?.spent ?? NO_SPEND, stepEnd.spend ?? NO_SPEND));
  endStep(fold.schedule, step.index, { duration_ms, attempts: started?.tries ?? 1, ...stepEnd, spend });
}

function fail(fold: RunFold, step: Step | undefined, event: RunEvent & { kind: 'step-failed' }): void {
  if (step === undefined) return;
  const started = fold.started.get(step.index);
  const asks = step.effect === 'external' && event.failure.type === 'worker-lost' && fold.input.settings.gates === 'ask';
  const again = !fold.cancelling && (asks || nextTryDelay(step, event.failure, started?.tries ?? 1) !== null);
  if (again && started !== undefined) {
    started.lastFailure = event.failure.message;
    started.spent = addSpend(started.spent, event.spend);
  } else end(fold, step, event.at, { status: event.failure.type === 'timeout' ? 'timeout' : 'error', failure: event.failure, spend: event.spend });
}

function nestedStepEnd({ run, outcome, failure }: RunEvent & { kind: 'nested-ended' }): StepEnd {
  return outcome === null ? { status: 'error', failure: failure ?? { type: 'internal', message: 'failed' }, run } : nestedEnd(run, outcome);
}

function decide(fold: RunFold, decision: Decision, at: string): void {
  const gate = fold.gates.find(({ path }) => path === decision.gate);
  if (gate === undefined || refusalOf(decision, gate, fold.decided.get(decision.gate)) !== null) return;
  fold.decided.set(decision.gate, decision);
  fold.gates = fold.gates.filter((open) => open !== gate);
  // Approved, the step is done again, and says itself how it ended; the interpreter asks anew each time.
  if (gate.kind === 'lost') {
    fold.decided.delete(decision.gate);
    if (decision.decision === 'reject') end(fold, stepAt(fold, gate.path), at, { status: 'error', failure: { type: 'worker-lost', message: `rejected by ${decision.by}` } });
    return;
  }
  end(fold, stepAt(fold, gate.path), at, decidedEnd(gate.content, decision));
}

function close(fold: RunFold, { at, outcome, failure, cancelled }: RunEvent & { kind: 'run-ended' }): void {
  fold.endedAt = at;
  fold.gates = [];
  if (cancelled || outcome?.status === 'cancelled') skipPending(fold.schedule, 'the run was cancelled');
  else if (outcome !== null) for (const index of fold.schedule.steps.keys()) inferEnd(fold, index, at);
  const status = cancelled ? 'cancelled' : failure?.type === 'timeout' ? 'timeout' : 'error';
  fold.outcome = outcome ?? { status, error: failure?.message ?? null, output: null, spend: fold.schedule.spend, pages: [] };
}

function isEnded(fold: RunFold, index: number): boolean {
  return isEnd(fold.schedule.steps[index]?.status ?? 'pending');
}
