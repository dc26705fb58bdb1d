import { stepPathOf, turnOf } from '../../../plan/agents/conversation.js';
import type { ModelChoice } from '../../../plan/agents/model-choice.js';
import { modelIds } from '../../../plan/agents/model-choice.js';
import { modelOf } from '../../../plan/references/actor.js';
import { restoreSchedule } from '../../../plan/schedule/carried-schedule.js';
import { nextTryDelay } from '../../../plan/outcomes/retry-delay.js';
import { isUnasked } from '../../../plan/failure.js';
import { isInDoubt } from '../../../plan/outcomes/flash-recovery.js';
import type { Budgets } from '../../../plan/budget/budgets.js';
import { NO_BUDGETS } from '../../../plan/budget/budgets.js';
import { limitsNow } from '../../../plan/budget/limits-now.js';
import type { Spend } from '../../../plan/budget/spend.js';
import { addSpend, NO_SPEND } from '../../../plan/budget/spend.js';
import { addToEnded, noteAsked, skipPending } from '../../../plan/schedule/schedule.js';
import type { Steer } from '../../../plan/budget/steering.js';
import { ADDITIONS } from '../../../plan/budget/steering.js';
import { isBlockStep } from '../../../plan/step.js';
import { keepFailed, nestedStepEnd } from './nested-ends.js';
import type { Quick, RunEvent } from '../history/run-event.js';
import type { FoldScope, Spot, Started } from './fold-scope.js';
import { openCarried } from './fold-scope.js';
import { isRestoring, restoredEnd } from './gate-ends.js';
import { noTruth } from '../view/truth.js';
import { pathBelow } from '../view/view.js';
import type { RunFold } from './run-fold.js';
import { stepAt } from './run-fold.js';
import { start } from './fold-starts.js';
import { end, endCommitted, endOrCommit, isEnded } from './fold-ends.js';
import { openGate, listGates, decide } from './fold-gates.js';
import { inferAll } from './infer-ends.js';
import { ownOf } from '../../../plan/values/own.js';
import { inline } from '../../../plan/values/value.js';

/** Starts a fold with a run's first event. */
export function openFold(run: string, event: RunEvent & { kind: 'run-started' }): RunFold {
  const { input, first, at } = event;
  const schedule = restoreSchedule(input.plan, input.carried);
  const top: FoldScope = {
    schedule,
    agents: input.plan.agents,
    input: input.input,
    unattended: input.settings.gates === 'fallback',
    outer: null,
    owner: null,
    item: null,
    index: null,
    last: null,
    path: input.path,
    single: false,
    started: new Map(),
    inner: new Map(),
    before: new Map(),
  };
  const fold: RunFold = {
    run,
    first,
    input,
    top,
    startedAt: input.carried?.started_at ?? at,
    endedAt: null,
    gates: new Map(input.carried?.gates.map((gate) => [gate.path, gate])),
    owners: new Map(),
    unlisted: new Map(),
    decided: new Map(),
    remembered: [],
    cancelling: false,
    pause: input.carried?.purse?.own.pause ?? null,
    pauses: [],
    warnings: input.carried?.purse?.warnings ?? [],
    budget: budgetOf(input),
    added: new Set(input.carried?.purse?.done),
    outcome: null,
    untold: false,
    played: 0,
    truth: noTruth(),
    titleTexts: new Map(),
  };
  startCarried(fold, at);
  return fold;
}

/**
 * The limits of the run's own when this link of it begins: those of a root with what was added to them before, those of
 * its definition in a nested one, which takes all else of what the runs above have. A batch run has none.
 */
function budgetOf({ settings: { budget }, path, carried, plan, batch }: RunFold['input']): Budgets {
  if (path !== '') return { ...(batch === undefined ? plan.budgets : NO_BUDGETS) };
  const purse = carried?.purse;
  return purse === undefined ? { ...budget } : limitsNow(budget, purse);
}

/** Blocks that had started before the run continued as new, outer ones first: what they do may leave no event. */
function startCarried(fold: RunFold, at: string): void {
  const { blocks = {}, since = {} } = fold.input.carried ?? {};
  for (const [path, block] of Object.entries(blocks).sort(
    ([one], [other]) => one.split('/').length - other.split('/').length,
  )) {
    const begun = ownOf(since, path);
    const spot = stepAt(fold, path);
    start(fold, spot, begun === undefined ? at : new Date(begun).toISOString());
    if (spot !== null && isBlockStep(spot.step)) openCarried(spot.scope, spot.step, block);
  }
}

/** Takes the next event in. Events of steps that the Plan does not have are passed over: they are not ours. */
export function applyEvent(fold: RunFold, event: RunEvent): void {
  if (isSteering(event)) return steered(fold, event);
  switch (event.kind) {
    case 'step-started':
      return startAsking(fold, stepAt(fold, event.path), event);
    case 'step-succeeded':
      return succeed(fold, stepAt(fold, event.path), event);
    case 'step-failed':
      return fail(fold, stepAt(fold, event.path), event);
    case 'waiting':
      return takeWait(fold, event);
    case 'step-left':
      return unstart(stepAt(fold, event.path));
    case 'step-committed':
      return endCommitted(fold, stepAt(fold, event.path), event.at);
    case 'nested-started':
      return start(fold, nestedStep(fold, event.run), event.at);
    case 'nested-ended':
      if (turnOf(pathBelow(event.run)) !== null) return endStarted(fold, event);
      return endNested(fold, nestedStep(fold, event.run), event);
    case 'gate-opened':
      return openGate(fold, event.gate);
    case 'gates':
      return listGates(fold, event, fold.run);
    case 'decided':
      return decide(fold, event.decision, event.at);
    case 'run-ended':
      return close(fold, event);
    default:
      return takeTurn(fold, event);
  }
}

/** Takes in what a batch run tells of the items that it does for this run: of itself it has nothing to tell. */
export function applyBatchEvent(fold: RunFold, batch: string, event: RunEvent): void {
  if (isSteering(event) || event.kind === 'run-ended') return;
  if ('path' in event) fold.owners.set(stepPathOf(event.path), batch);
  if (event.kind === 'gate-opened') fold.owners.set(stepPathOf(event.gate.path), batch);
  if (event.kind === 'gates') listGates(fold, event, batch);
  else applyEvent(fold, event);
}

/** A conversation starts its step once; what its turns spend, and what is found later, adds up there. */
function takeTurn(
  fold: RunFold,
  event: RunEvent & { kind: 'turn-started' | 'turn-ended' | 'spend-found' | 'run-started' | 'run-continued' },
): void {
  const spot = 'path' in event ? stepAt(fold, event.path) : null;
  if (spot === null) return;
  if (event.kind === 'spend-found') return addSpent(spot, event.spend);
  const { scope, step } = spot;
  if (event.kind === 'turn-started') {
    startOnce(fold, spot, event.at);
    noteModel(fold, spot, event.model);
  }
  if (event.kind === 'turn-ended') startQuick(fold, spot, event);
  const started = scope.started.get(step.index);
  if (event.kind === 'turn-ended' && started !== undefined) started.spent = addSpend(started.spent, event.spend);
}

function startAsking(fold: RunFold, spot: Spot | null, event: RunEvent & { kind: 'step-started' }): void {
  start(fold, spot, event.at);
  if (spot !== null) noteModel(fold, spot, event.model);
}

function noteModel({ input }: RunFold, { scope, step }: Spot, model: ModelChoice | undefined): void {
  if (model === undefined) return;
  const chosen = modelOf(step, input.plan.agents, modelIds(input.settings.models));
  noteAsked(scope.schedule, step.index, model, chosen);
}

function startOnce(fold: RunFold, spot: Spot | null, at: string): void {
  if (spot?.scope.schedule.steps[spot.step.index]?.status !== 'running') start(fold, spot, at);
}

/** What had no event of its start has started by the one of its end. */
function startQuick(fold: RunFold, spot: Spot | null, { at, quick }: { at: string; quick?: Quick | undefined }): void {
  if (quick === 'step') start(fold, spot, at);
  if (quick === 'turn') startOnce(fold, spot, at);
}

/** What a run has spent that an agent started in its conversation counts there, and so does what failed in it. */
function endStarted(fold: RunFold, event: RunEvent & { kind: 'nested-ended' }): void {
  const { run, outcome, spent = NO_SPEND } = event;
  const spot = stepAt(fold, stepPathOf(pathBelow(run)));
  const started = spot?.scope.started.get(spot.step.index);
  if (started === undefined) return;
  started.spent = addSpend(started.spent, { ...(outcome?.spend ?? spent), steps: 0 });
  keepFailed(started, nestedStepEnd(event));
}

/** Time passes for a step, which may have waited before the run continued as new; or it does no more. */
function takeWait(fold: RunFold, { path, at, state }: RunEvent & { kind: 'waiting' }): void {
  const spot = stepAt(fold, path);
  if (state === 'passed') return end(fold, spot, at, { status: 'success', output: inline(at) });
  if (state === 'stopped')
    return end(fold, spot, at, { status: 'error', failure: { type: 'cancelled', message: 'cancelled' } });
  const begun = ownOf(fold.input.carried?.since ?? {}, path);
  start(fold, spot, begun === undefined ? at : new Date(begun).toISOString());
}

type Steering = RunEvent & { kind: 'paused' | 'warned' | 'steered' | 'cancel-requested' };

function isSteering(event: RunEvent): event is Steering {
  return (
    event.kind === 'paused' || event.kind === 'warned' || event.kind === 'steered' || event.kind === 'cancel-requested'
  );
}

function steered(fold: RunFold, event: Steering): void {
  if (event.kind === 'cancel-requested') fold.cancelling = true;
  else if (event.kind === 'paused') takePause(fold, event);
  else if (event.kind === 'warned') fold.warnings = event.warnings;
  else addToLimits(fold, event.steer);
}

function takePause(fold: RunFold, { pause, at }: RunEvent & { kind: 'paused' }): void {
  if (fold.pause !== null) fold.pauses.push([Date.parse(fold.pause.since), Date.parse(at)]);
  fold.pause = pause;
}

/** Adds to the limits what the run adds to them. */
function addToLimits(fold: RunFold, steer: Steer): void {
  if (steer.kind !== 'budget' || fold.added.has(steer.id)) return;
  fold.added.add(steer.id);
  for (const [what, { limit }] of Object.entries(ADDITIONS)) {
    const before = fold.budget[limit];
    // the keys of ADDITIONS
    if (before !== null) fold.budget[limit] = before + (steer.add[what as keyof typeof ADDITIONS] ?? 0);
  }
}

/** Nested runs are named after the root and the path of their step (decision 1). */
function endNested(fold: RunFold, spot: Spot | null, event: RunEvent & { kind: 'nested-ended' }): void {
  const started = spot?.scope.started.get(spot.step.index);
  if (started !== undefined) started.why = event.why;
  endOrCommit(fold, spot, event.at, nestedStepEnd(event));
}

function nestedStep(fold: RunFold, run: string): Spot | null {
  return stepAt(fold, pathBelow(run));
}

function succeed(fold: RunFold, spot: Spot | null, { at, output, quick }: RunEvent & { kind: 'step-succeeded' }): void {
  startQuick(fold, spot, { at, quick });
  endOrCommit(fold, spot, at, restoredEnd(spot, output) ?? { status: 'success', ...output });
}

function fail(fold: RunFold, spot: Spot | null, event: RunEvent & { kind: 'step-failed' }): void {
  startQuick(fold, spot, event);
  // What cannot be restored is asked about again.
  if (fold.cancelling || !isRestoring(spot)) failTry(fold, spot, event);
}

function failTry(fold: RunFold, spot: Spot | null, event: RunEvent & { kind: 'step-failed' }): void {
  // Refused before anything was asked: the interpreter asks again, with more reserved.
  if (isUnasked(event.failure.type)) return refuse(spot, event);
  if (spot === null) return;
  const { scope, step } = spot;
  const started = scope.started.get(step.index);
  uncommit(started);
  const isAsked = fold.input.settings.gates === 'ask';
  const isLost =
    event.failure.type === 'worker-lost' && (step.kind === 'flash' || (step.effect === 'external' && isAsked));
  const asks = isLost || (isAsked && isInDoubt(step, event.failure));
  const again = !fold.cancelling && (asks || nextTryDelay(step, event.failure, started?.tries ?? 1) !== null);
  if (again && started !== undefined) {
    started.lastFailure = event.failure.message;
    started.spent = addSpend(started.spent, event.spend);
  } else
    end(fold, spot, event.at, {
      status: event.failure.type === 'timeout' ? 'timeout' : 'error',
      failure: event.failure,
      spend: event.spend,
    });
}

function close(fold: RunFold, { at, outcome, failure, cancelled }: RunEvent & { kind: 'run-ended' }): void {
  fold.endedAt = at;
  fold.gates.clear();
  if (cancelled || outcome?.status === 'cancelled') skipPending(fold.top.schedule, 'the run was cancelled');
  else if (outcome !== null) inferAll(fold, fold.top, at);
  const status = cancelled ? 'cancelled' : failure?.type === 'timeout' ? 'timeout' : 'error';
  fold.untold = outcome === null;
  fold.outcome = outcome ?? {
    status,
    error: failure?.message ?? null,
    output: null,
    spend: fold.top.schedule.spend,
    pages: [],
  };
}

/** What its question had cost before counts. A turn that is asked again is no try of its step. */
function refuse(spot: Spot | null, { spend, turn }: RunEvent & { kind: 'step-failed' }): void {
  if (spot !== null) addSpent(spot, spend);
  if (turn !== true) unstart(spot);
}

/** What a step has spent that had no event of its own; it may have ended by then. */
function addSpent(spot: Spot, spend: Spend): void {
  const { scope, step } = spot;
  const started = scope.started.get(step.index);
  const more = { ...spend, steps: 0 };
  if (isEnded(spot)) addToEnded(scope.schedule, step.index, more);
  else if (started !== undefined) started.spent = addSpend(started.spent, more);
}

/** What was done and could not be committed has been spent. */
function uncommit(started: Started | undefined): void {
  if (started === undefined) return;
  started.spent = addSpend(started.spent, started.uncommitted?.spend ?? NO_SPEND);
  delete started.uncommitted;
}

function unstart(spot: Spot | null): void {
  const started = spot?.scope.started.get(spot.step.index);
  if (started !== undefined) started.tries -= 1;
}
