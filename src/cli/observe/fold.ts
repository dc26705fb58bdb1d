import { needsBatches } from '../../plan/schedule/batch-run.js';
import { stepPathOf, turnOf } from '../../plan/agents/conversation.js';
import { restoreSchedule } from '../../plan/schedule/carried-schedule.js';
import { countedOnce, endAlone, unattendedEnd } from '../../plan/outcomes/step-ends.js';
import type { Decision, Gate, GateEnd } from '../../plan/gates/gate.js';
import { isRead, refusalOf } from '../../plan/gates/gate.js';
import { takeDecision } from '../../plan/gates/gate-timeline.js';
import type { Budgets } from '../../plan/budget/budgets.js';
import { nextTryDelay } from '../../plan/outcomes/retry-delay.js';
import { isInDoubt } from '../../plan/outcomes/flash-recovery.js';
import type { RunOutcome } from '../../plan/result.js';
import { addSpend, NO_SPEND } from '../../plan/budget/spend.js';
import type { ReadRunInput } from '../../plan/run-input.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import { endOf, endStep, isEnd, skipPending, startStep } from '../../plan/schedule/schedule.js';
import type { Pause, Steer, Warning } from '../../plan/budget/steering.js';
import { ADDITIONS } from '../../plan/budget/steering.js';
import type { BlockStep, ForeachStep, Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import { keepFailed, nestedStepEnd, partialOf } from './nested-ends.js';
import { blockEnd, goesOn, mayBeSilent } from './block-ends.js';
import type { RunEvent } from './events.js';
import type { FoldScope, Spot } from './fold-scope.js';
import {
  conditionIn,
  countOf,
  innerOf,
  innersOf,
  locate,
  makeInner,
  openCarried,
  pathIn,
  spentBefore,
  valueOf,
} from './fold-scope.js';
import { endByGate, isRestoring, isWithin, nextTry, restoredEnd, stopRestoring } from './gate-ends.js';
import type { Truth } from './truth.js';
import { noTruth } from './truth.js';
import { pathBelow } from './view.js';

/** What the history of one run says so far, folded by the scheduler that the interpreter runs (decision 5). */
export interface RunFold {
  /** Its workflow id. */
  run: string;
  /** How it was started. */
  input: ReadRunInput;
  /** Its own steps. */
  top: FoldScope;
  startedAt: string;
  endedAt: string | null;
  /** Open gates, in the order in which they opened. */
  gates: Map<string, Gate>;
  /** The batch runs that own some of them, by path; the others are the run's own. */
  owners: Map<string, string>;
  /** How many open gates the memo of a run does not list, by workflow id. */
  unlisted: Map<string, number>;
  decided: Map<string, GateEnd>;
  cancelling: boolean;
  /** Why nothing new starts, by a limit of this run or by request. */
  pause: Pause | null;
  /** Limits of which most is used. */
  warnings: Warning[];
  /** The limits, with what was added to them. */
  budget: Budgets;
  /** Requests to add that were taken in. */
  added: Set<string>;
  outcome: RunOutcome | null;
  /** Items and rounds that were played here, since they left no event. */
  played: number;
  /** What the interpreter itself wrote of its steps, read from the store when the run has closed. */
  truth: Truth;
}

/** Starts a fold with a run's first event. */
export function openFold(run: string, event: RunEvent & { kind: 'run-started' }): RunFold {
  const { input, at } = event;
  const schedule = restoreSchedule(input.plan, input.carried);
  const top: FoldScope = {
    schedule,
    agents: input.plan.agents,
    input: input.input,
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
    input,
    top,
    startedAt: input.carried?.started_at ?? at,
    endedAt: null,
    gates: new Map(input.carried?.gates.map((gate) => [gate.path, gate])),
    owners: new Map(),
    unlisted: new Map(),
    decided: new Map(),
    cancelling: false,
    pause: input.carried?.purse?.own.pause ?? null,
    warnings: input.carried?.purse?.warnings ?? [],
    budget: { ...input.settings.budget },
    added: new Set(),
    outcome: null,
    played: 0,
    truth: noTruth(),
  };
  startCarried(fold, at);
  return fold;
}

/** Blocks that had started before the run continued as new, outer ones first: what they do may leave no event. */
function startCarried(fold: RunFold, at: string): void {
  const { blocks = {}, since = {} } = fold.input.carried ?? {};
  for (const [path, block] of Object.entries(blocks).sort(
    ([one], [other]) => one.split('/').length - other.split('/').length,
  )) {
    const begun = since[path];
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
      return start(fold, stepAt(fold, event.path), event.at);
    case 'step-succeeded':
      if (event.quick) start(fold, stepAt(fold, event.path), event.at);
      return succeed(fold, stepAt(fold, event.path), event);
    case 'step-failed':
      if (event.quick) start(fold, stepAt(fold, event.path), event.at);
      return fail(fold, stepAt(fold, event.path), event);
    case 'nested-started':
      return start(fold, nestedStep(fold, event.run), event.at);
    case 'nested-ended':
      if (turnOf(pathBelow(event.run)) !== null) return endStarted(fold, event);
      return end(fold, nestedStep(fold, event.run), event.at, nestedStepEnd(event));
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
  if (event.kind === 'gate-opened') fold.owners.set(event.gate.path, batch);
  if (event.kind === 'gates') listGates(fold, event, batch);
  else applyEvent(fold, event);
}

/** A conversation starts its step once; what its turns spend adds up there. */
function takeTurn(
  fold: RunFold,
  event: RunEvent & { kind: 'turn-started' | 'turn-ended' | 'run-started' | 'run-continued' },
): void {
  const spot = 'path' in event ? stepAt(fold, event.path) : null;
  if (spot === null) return;
  const { scope, step } = spot;
  if (event.kind === 'turn-started' && scope.schedule.steps[step.index]?.status !== 'running')
    start(fold, spot, event.at);
  const started = scope.started.get(step.index);
  if (event.kind === 'turn-ended' && started !== undefined) started.spent = addSpend(started.spent, event.spend);
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

type Steering = RunEvent & { kind: 'paused' | 'warned' | 'steered' | 'cancel-requested' };

function isSteering(event: RunEvent): event is Steering {
  return (
    event.kind === 'paused' || event.kind === 'warned' || event.kind === 'steered' || event.kind === 'cancel-requested'
  );
}

function steered(fold: RunFold, event: Steering): void {
  if (event.kind === 'cancel-requested') fold.cancelling = true;
  else if (event.kind === 'paused') fold.pause = event.pause;
  else if (event.kind === 'warned') fold.warnings = event.warnings;
  else addToLimits(fold, event.steer);
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

/** The step at a path below the root run; null where the run's Plan has none. */
export function stepAt(fold: RunFold, path: string): Spot | null {
  const below = fold.input.path === '' ? path : path.slice(fold.input.path.length + 1);
  return locate(fold.top, below.split('/'));
}

/** Nested runs are named after the root and the path of their step (decision 1). */
function nestedStep(fold: RunFold, run: string): Spot | null {
  return stepAt(fold, pathBelow(run));
}

function start(fold: RunFold, spot: Spot | null, at: string): void {
  if (spot === null || isEnded(spot)) return;
  const { scope, step } = spot;
  startAround(fold, scope, at);
  for (const { step: need } of step.needs) inferEnd(fold, scope, need, at);
  const before = scope.started.get(step.index);
  if (before === undefined || scope.schedule.steps[step.index]?.status === 'pending')
    startStep(scope.schedule, step.index);
  // A gate that is shown again has not started again.
  if ((step.kind === 'approval' || step.kind === 'ask' || isBlockStep(step)) && before !== undefined) return;
  scope.started.set(step.index, nextTry(before, at, spentBefore(fold.input, pathIn(scope, step))));
}

/** What starts in an item or a round says that its step runs, and that the rounds before are over. */
function startAround(fold: RunFold, { outer, owner, index }: FoldScope, at: string): void {
  if (outer === null || owner === null) return;
  start(fold, { scope: outer, step: owner }, at);
  if (owner.kind === 'loop')
    for (const round of innersOf(outer, owner)) if ((round.index ?? 0) < (index ?? 0)) inferAll(fold, round, at);
}

function inferAll(fold: RunFold, scope: FoldScope, at: string): void {
  for (const step of scope.schedule.body.steps) inferEnd(fold, scope, step.index, at);
}

/**
 * A step that others went past without an event of its own: a `when` that did not hold, a value that was computed, a
 * gate that the run's settings decided. What the interpreter wrote replaces this when the run has closed.
 */
function inferEnd(fold: RunFold, scope: FoldScope, index: number, at: string): void {
  const step = scope.schedule.body.steps[index];
  if (step === undefined || isEnded({ scope, step })) return;
  for (const { step: need } of step.needs) inferEnd(fold, scope, need, at);
  for (const inner of innersOf(scope, step)) inferAll(fold, inner, at);
  if (isBlockStep(step) && conditionIn(scope, step) === true) inferSilent(fold, scope, step, at);
  // The last of the inner scopes may have ended it.
  if (!isEnded({ scope, step })) end(fold, { scope, step }, at, inferredEnd(fold, scope, step));
}

/** So many items and rounds of a run are played at most; of more only what the run has written tells. */
const MOST_PLAYED = 2_000;

/** Items and rounds that left no event: those in which nothing ran but what the workflow does by itself. */
function inferSilent(fold: RunFold, scope: FoldScope, step: BlockStep, at: string): void {
  // What ran in an earlier link or in batch runs has left its events elsewhere.
  if (fold.input.carried !== null) return;
  if (step.kind === 'foreach') return inferItems(fold, scope, step, at);
  // Of a loop nobody knows how many rounds there were, were there some that acted.
  let last = innersOf(scope, step).at(-1) ?? null;
  while (fold.played < MOST_PLAYED && (last === null || goesOn(step, last))) {
    const next = (last?.index ?? -1) + 1;
    if (!mayBeSilent(makeInner(scope, step, next))) return;
    last = innerOf(scope, step, next);
    play(fold, last, at);
  }
}

function inferItems(fold: RunFold, scope: FoldScope, step: ForeachStep, at: string): void {
  if (step.on_error === 'stop' && innersOf(scope, step).some(({ schedule }) => endOf(schedule) === 'error')) return;
  const count = countOf(scope, step.items) ?? 0;
  if (needsBatches(step, count)) return;
  for (let index = 0; index < count && fold.played < MOST_PLAYED; index++) play(fold, innerOf(scope, step, index), at);
}

function play(fold: RunFold, scope: FoldScope, at: string): void {
  fold.played += 1;
  inferAll(fold, scope, at);
}

/** A step without a condition that was passed over: the run had been stopped. */
function skipped({ when }: Step): StepEnd {
  return { status: 'skipped', reason: when === null ? 'the run starts nothing any more' : '`when` is false' };
}

function inferredEnd(fold: RunFold, scope: FoldScope, step: Step): StepEnd {
  if (isBlockStep(step) && innersOf(scope, step).length > 0) return blockEnd(scope, step);
  const holds = conditionIn(scope, step);
  switch (step.kind) {
    case 'approval':
      return (
        (step.when === null
          ? unattendedEnd({ kind: step.kind, content: null, fallback: step.fallback }, fold.input.settings)
          : null) ?? skipped(step)
      );
    case 'set':
      return holds === false
        ? skipped(step)
        : { status: 'success', output: valueOf(scope, { kind: 'map', entries: step.values }) };
    case 'wait':
    case 'foreach':
    case 'loop':
      return holds === false ? skipped(step) : { status: 'success', output: null };
    default:
      return skipped(step);
  }
}

function end(fold: RunFold, spot: Spot | null, at: string, stepEnd: StepEnd): void {
  if (spot === null || isEnded(spot)) return;
  const { scope, step } = spot;
  const started = scope.started.get(step.index);
  const duration_ms = started === undefined ? 0 : Math.max(0, Date.parse(at) - Date.parse(started.at));
  const spend = countedOnce(
    step,
    started?.tries ?? (stepEnd.status === 'skipped' ? 0 : 1),
    addSpend(started?.spent ?? NO_SPEND, stepEnd.spend ?? NO_SPEND),
  );
  endStep(scope.schedule, step.index, {
    duration_ms,
    attempts: started?.tries ?? 1,
    ...stepEnd,
    ...partialOf(fold.input.carried, spot, stepEnd),
    spend,
  });
  endAround(fold, scope, at);
}

/** A foreach whose items are known to have ended all has ended; whether a loop goes on, what comes next tells. */
function endAround(fold: RunFold, { outer, owner, schedule }: FoldScope, at: string): void {
  if (outer === null || owner?.kind !== 'foreach' || schedule.open > 0) return;
  const known = (outer.before.get(owner.index)?.counts.done ?? 0) + (outer.inner.get(owner.index)?.size ?? 0);
  if (known !== countOf(outer, owner.items)) return;
  if (innersOf(outer, owner).every((item) => item.schedule.open === 0))
    end(fold, { scope: outer, step: owner }, at, blockEnd(outer, owner));
}

function succeed(fold: RunFold, spot: Spot | null, { at, output }: RunEvent & { kind: 'step-succeeded' }): void {
  end(fold, spot, at, restoredEnd(spot, output) ?? { status: 'success', ...output });
}

function fail(fold: RunFold, spot: Spot | null, event: RunEvent & { kind: 'step-failed' }): void {
  // What cannot be restored is asked about again.
  if (fold.cancelling || !isRestoring(spot)) failTry(fold, spot, event);
}

function failTry(fold: RunFold, spot: Spot | null, event: RunEvent & { kind: 'step-failed' }): void {
  // Refused before anything was asked: the interpreter asks again, with more reserved.
  if (event.failure.type === 'budget-short') return unstart(spot);
  if (spot === null) return;
  const { scope, step } = spot;
  const started = scope.started.get(step.index);
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

function openGate(fold: RunFold, gate: Gate): void {
  const spot = stepAt(fold, stepPathOf(gate.path));
  fold.decided.delete(gate.path);
  if (!isWithin(gate)) start(fold, spot, gate.since);
  const alone = isWithin(gate) ? null : endAlone(gate, fold.input.settings);
  // A run that decides by itself asks nobody about calls of tools, and whether a board is ready.
  if ((gate.kind === 'tool' || gate.kind === 'ready') && fold.input.settings.gates !== 'ask') return;
  stopRestoring(spot);
  if (alone === null) fold.gates.set(gate.path, gate);
  else end(fold, spot, gate.since, alone);
}

/**
 * What the run's memo says of its gates: how one ended, and which are open, unless they are too many to be listed. It
 * tells them in few words; what is known of them in full stays.
 */
function listGates(fold: RunFold, { gates, unlisted, ended }: RunEvent & { kind: 'gates' }, by: string): void {
  if (ended !== null) endGate(fold, ended);
  if (unlisted !== null) fold.unlisted.set(by, unlisted);
  if (gates === null) return;
  for (const gate of gates) {
    if (by !== fold.run) fold.owners.set(gate.path, by);
    const known = fold.gates.get(gate.path);
    if (known === undefined) openGate(fold, gate);
    else
      fold.gates.set(gate.path, {
        ...known,
        ...gate,
        message: known.message,
        ...(known.hash === gate.hash ? { content: known.content } : {}),
      });
  }
  const listed = new Set(gates.map(({ path }) => path));
  if ((fold.unlisted.get(by) ?? 0) > 0) return;
  for (const path of fold.gates.keys())
    if (!listed.has(path) && (fold.owners.get(path) ?? fold.run) === by) fold.gates.delete(path);
}

/** A decision as it came. One that an activity has to read first takes effect when the run says so. */
function decide(fold: RunFold, decision: Decision, at: string): void {
  const gate = fold.gates.get(decision.gate);
  const now = Date.parse(at);
  const isLookedAt = fold.input.settings.require_token === true || isRead(decision, gate);
  if (gate === undefined || isLookedAt || refusalOf(decision, gate, fold.decided.get(decision.gate), now) !== null)
    return;
  const { gate: after, end: ended } = takeDecision(gate, decision, { now, edited: null });
  fold.gates.set(gate.path, after);
  if (ended !== null) endGate(fold, ended);
}

function endGate(fold: RunFold, ended: GateEnd): void {
  const gate = fold.gates.get(ended.gate);
  if (gate === undefined) return;
  fold.gates.delete(ended.gate);
  // A call of a tool that was in doubt goes on within its step.
  if (turnOf(ended.gate) !== null) return;
  const spot = stepAt(fold, ended.gate);
  if (spot === null) return;
  if (!isWithin(gate)) fold.decided.set(ended.gate, ended);
  // Done again, the step says itself how it ended; the interpreter asks anew each time.
  const stepEnd = endByGate(spot, gate, ended);
  if (stepEnd !== null) end(fold, spot, ended.at, stepEnd);
}

function close(fold: RunFold, { at, outcome, failure, cancelled }: RunEvent & { kind: 'run-ended' }): void {
  fold.endedAt = at;
  fold.gates.clear();
  if (cancelled || outcome?.status === 'cancelled') skipPending(fold.top.schedule, 'the run was cancelled');
  else if (outcome !== null) inferAll(fold, fold.top, at);
  const status = cancelled ? 'cancelled' : failure?.type === 'timeout' ? 'timeout' : 'error';
  fold.outcome = outcome ?? {
    status,
    error: failure?.message ?? null,
    output: null,
    spend: fold.top.schedule.spend,
    pages: [],
  };
}

function isEnded({ scope, step }: Spot): boolean {
  return isEnd(scope.schedule.steps[step.index]?.status ?? 'pending');
}

function unstart(spot: Spot | null): void {
  const started = spot?.scope.started.get(spot.step.index);
  if (started !== undefined) started.tries -= 1;
}
