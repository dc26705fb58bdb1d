import { CancellationScope, allHandlersFinished, continueAsNew, workflowInfo } from '@temporalio/workflow';
import { condition, settled } from '../determinism/condition.js';
import type { WorkflowInfo } from '@temporalio/workflow';
import type { Nothing } from '../../plan/schedule/carried-schedule.js';
import { carrySchedule, rootsAfterRound } from '../../plan/schedule/carried-schedule.js';
import type { RunOutcome } from '../../plan/result.js';
import type { Carried, RunInput } from '../../plan/run-input.js';
import type { CarriedBlock, CarriedScope } from '../../plan/schedule/carried.js';
import { utf8Bytes } from '../../plan/values/json.js';
import { quick } from '../activities.js';
import { writeResults } from './close-run.js';
import type { RunningSteps, Rounds, RunContext, Scope } from '../state/context.js';
import { carryAccount } from '../budget/account.js';
import { isWorking } from '../state/working.js';

/** Thresholds of I12. */
const EVENTS = 4_000;
const BYTES = 3 * 1024 * 1024;
const SIGNALS = 2_000;
const UPDATES = 1_000;
/** Nested runs do not travel; while some are in flight the run goes on up to here (I12). */
const EVENTS_WITH_CHILDREN = 20_000;
const BYTES_WITH_CHILDREN = 16 * 1024 * 1024;
/** What a run may be started with: the server ends one that continues with more than 2 MiB. */
const INPUT_BYTES = 1_900_000;
/** One that would be started with more goes on as it is until so many more steps have ended. */
const STEPS_HELD = 50;

/**
 * Tells whether the run should stop starting steps and, once nothing is in flight, continue as new (I12). Nested runs
 * are waited for, unless all that is in flight waits for people: that may take days, and the run goes on meanwhile; so
 * it does while it keeps a device for its later steps, for which others may wait.
 */
export function shouldContinue(context: RunContext): boolean {
  return isDue(context) && !endsHere(context) && endedIn(context) >= context.runningSteps.heldUntil;
}

/** One that was cancelled ends in this Temporal run: the next would not know of it (I9). */
function endsHere({ cancelled }: RunContext): boolean {
  return cancelled !== null;
}

function isDue(context: RunContext): boolean {
  const { runningSteps } = context;
  const info = workflowInfo();
  if (runningSteps.children === 0) return isLong(context, info);
  if (info.historyLength >= EVENTS_WITH_CHILDREN || info.historySize >= BYTES_WITH_CHILDREN) return true;
  return isLong(context, info) && isWorking(context) && context.devices.kept.size === 0;
}

function isLong(context: RunContext, info: WorkflowInfo): boolean {
  const { historyLength, historySize, continueAsNewSuggested } = info;
  const { signals, updates } = context.gates.messages;
  return (
    continueAsNewSuggested ||
    historyLength >= EVENTS ||
    historySize >= BYTES ||
    hasDoneMuch(context, info) ||
    signals >= SIGNALS ||
    updates >= UPDATES
  );
}

/**
 * Tells whether as many steps were started, or had ended before this workflow task, as one run should have. Starts that
 * are under way never make a link by themselves: something must have ended in this one, so each link comes nearer to
 * the end, however many start together.
 */
function hasDoneMuch(context: RunContext, { historyLength }: WorkflowInfo): boolean {
  const { runningSteps, linkSteps } = context;
  if (runningSteps.task.historyLength !== historyLength)
    runningSteps.task = { historyLength, endedBefore: runningSteps.task.endedByNow, endedByNow: 0 };
  runningSteps.task.endedByNow = endedIn(context);
  const { endedBefore, endedByNow } = runningSteps.task;
  if (runningSteps.started < linkSteps && endedByNow < linkSteps) return false;
  return endedBefore >= linkSteps || (runningSteps.started >= linkSteps && endedByNow > 0);
}

/** Steps that ended in this Temporal run, wherever. */
function endedIn({ runningSteps, top }: RunContext): number {
  return top.schedule.ended.length + runningSteps.endedBelow;
}

/**
 * Ends this Temporal run and starts the next of the chain with what it needs. Returns only where it was cancelled
 * meanwhile, as it has to end here, and where that is more than the server takes: then it goes on until some of what is
 * open has ended.
 */
export async function continueRun(top: Scope, input: RunInput): Promise<void> {
  const { context } = top;
  const carried = await CancellationScope.nonCancellable(() => carryRun(context));
  if (endsHere(context)) return;
  const next = { ...input, carried };
  if (utf8Bytes(JSON.stringify(next)) > INPUT_BYTES) {
    context.runningSteps.heldUntil = endedIn(context) + STEPS_HELD;
    return;
  }
  await continueAsNew<(input: RunInput) => Promise<RunOutcome>>(next);
}

/**
 * A gate may be decided while results are written, and messages come: it looks again until nothing is left to write, or
 * under way.
 */
async function carryRun(context: RunContext): Promise<Carried> {
  for (let before = -1; before !== endedIn(context) || isLeft(context);) {
    before = endedIn(context);
    await writeScope(context.top);
    for (const rounds of context.rounds.values()) await writeRounds(rounds);
    if (isBusy(context)) await quiet(context);
    await settled();
  }
  return carryContext(context);
}

/**
 * What the next link gets of this one. Each field of the context stands in here: one that is neither carried, nor said
 * again by the start arguments, nor made anew does not compile.
 */
function carryContext(context: RunContext): Carried {
  const {
    top,
    gates,
    account,
    rounds,
    conversations,
    since,
    tried,
    devices,
    runningSteps,
    items,
    startedAt,
    // Said again by the start arguments.
    plan,
    nested,
    root,
    run,
    path: _own,
    input,
    settings,
    linkSteps,
    isBatch,
    // Read from what is carried, made from what Plan and settings say, or nothing that a run knows which goes on.
    carriedGates,
    carriedBlocks,
    shortPlans,
    cancelled,
    onEnd,
    placement,
    // Of what is in flight, and nothing is.
    overdue,
    // Made again behind the journal.
    madeCalls,
    ...forgotten
  } = context;
  void (forgotten satisfies Nothing);
  const open = [...gates.open.values(), ...gates.carried.values()];
  return {
    ...carryScope(top),
    gates: open,
    ...(gates.remembered.size === 0 ? {} : { remembered: [...gates.remembered] }),
    decisions: [...gates.decided.values()].filter(({ gate }) => open.some(({ path }) => path === gate)),
    purse: carryAccount(account),
    blocks: Object.fromEntries([...rounds].map(([path, going]) => [path, carryRounds(going)])),
    since: Object.fromEntries(since),
    ...(conversations.size === 0 ? {} : { conversations: Object.fromEntries(conversations) }),
    ...(tried.size === 0 ? {} : { tried: Object.fromEntries(tried) }),
    ...(devices.kept.size === 0 ? {} : { devices: Object.fromEntries(devices.kept) }),
    ...(items === null ? {} : { items }),
    ...carryRunningSteps(runningSteps),
    started_at: startedAt,
  };
}

function carryRunningSteps(runningSteps: RunningSteps): Pick<Carried, 'told_waiting'> {
  const {
    reportedWaiting: toldWaiting,
    // All of it is about what is in flight, and nothing is.
    runStep,
    scopes,
    activities,
    computing,
    children,
    waiting,
    queued,
    timers,
    telling,
    started,
    endedBelow,
    task,
    heldUntil,
    draining,
    broken,
    onIdle,
    isPumping,
    pumpAgain,
    ...forgotten
  } = runningSteps;
  void (forgotten satisfies Nothing);
  return { ...(toldWaiting ? { told_waiting: true } : {}) };
}

/** Tells whether an item or a round has come to its result while others were written: its steps had ended before. */
function isLeft({ rounds }: RunContext): boolean {
  return [...rounds.values()].some(({ results }) => results.length > 0);
}

/**
 * Tells whether a message is being looked at, or one to the run above is on its way: Temporal drops those of a run that
 * closes in the same task.
 */
function isBusy({ account, runningSteps }: RunContext): boolean {
  return !allHandlersFinished() || runningSteps.telling !== null || account.above?.line.isIdle() === false;
}

async function quiet(context: RunContext): Promise<void> {
  while (isBusy(context)) {
    await condition(allHandlersFinished);
    await context.runningSteps.telling;
    await context.account.above?.line.sent();
  }
}

async function writeScope(scope: Scope): Promise<void> {
  const { length } = scope.schedule.ended; // More may end while these are written.
  const page = await writeResults(scope);
  if (page !== null) scope.pages.push(page);
  scope.written = length;
}

/**
 * Results are in the list until they are in a page: the last item may end while one is written, and then its step
 * finishes.
 */
async function writeRounds(rounds: Rounds): Promise<void> {
  const results = [...rounds.results]; // More may come while these are written.
  if (results.length > 0) {
    rounds.pages.push(await quick.writePage(results));
    rounds.results.splice(0, results.length);
  }
  for (const scope of rounds.open.values()) await writeScope(scope);
}

function carryScope(scope: Scope, later: string[] = []): CarriedScope {
  const {
    schedule,
    pages,
    // Made anew from the Plan, the start arguments and what is around it; results are all in pages.
    context,
    agents,
    input,
    outer,
    item,
    index,
    last,
    path,
    blockPath,
    single,
    unattended,
    needsSlots,
    work,
    redoable,
    reason,
    written,
    ...forgotten
  } = scope;
  void (forgotten satisfies Nothing);
  return { ...carrySchedule(schedule, later), pages };
}

function carryRounds(rounds: Rounds): CarriedBlock {
  // Results are all in pages.
  const { step, items, next, end, open, last, over, cancelled, broken, counts, spend, pages, results, ...forgotten } =
    rounds;
  void (forgotten satisfies Nothing);
  const later = step.kind === 'loop' ? rootsAfterRound(step) : [];
  return {
    items,
    next,
    ...(end === undefined ? {} : { end }),
    counts,
    spend,
    pages,
    last: last === null ? null : { ...carrySchedule(last, later), pages: [] },
    open: Object.fromEntries([...open].map(([index, scope]) => [index, carryScope(scope, later)])),
    // What is left of these is to close the books.
    ...(over === null ? {} : { over }),
    ...(cancelled.length === 0 ? {} : { cancelled }),
    ...(broken === null ? {} : { broken }),
  };
}
