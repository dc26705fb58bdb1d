import { CancellationScope, CancelledFailure, allHandlersFinished, isCancellation } from '@temporalio/workflow';
import { condition } from './determinism/condition.js';
import type { RunEnd, RunOutcome } from '../plan/result.js';
import type { Carried, RunInput } from '../plan/run-input.js';
import type { Spend } from '../plan/budget/spend.js';
import { endOf, errorOf, hasSucceeded } from '../plan/schedule/schedule.js';
import { quick } from './activities.js';
import { closeRun } from './lifecycle/close-run.js';
import type { RunContext, Scope } from './state/context.js';
import { identityOf, withTop } from './state/context.js';
import { continueRun } from './lifecycle/continue-as-new.js';
import { failureFrom, runFailure, toRunError } from './failures.js';
import { followStatus } from './lifecycle/status-attribute.js';
import { showAgain, showDetails } from './lifecycle/ui-details.js';
import { createDeviceBook, releaseUnneeded } from './devices/device-lease.js';
import { runSteps, resumeSteps, startReady } from './running/step-runner.js';
import { createPlacement } from './state/placement.js';
import { createRunningSteps } from './state/running-steps.js';
import type { GateTerms } from './gates/gate-book.js';
import { createGateBook, acceptUnknownSignals } from './gates/gate-book.js';
import { makeRunTree } from './running/own-tree.js';
import { cancelAccount, leaveTree, openAccount } from './budget/account.js';
import { meetQuota, waitAgain } from './budget/quota.js';
import { restrictionsOf } from './state/account.js';
import { receiveNested } from './running/idle-children.js';
import { startClockBeside } from './budget/run-clock.js';
import { noticeEnd, noticeGate, noticePause } from './lifecycle/notices.js';
import { listenToSteerers } from './budget/steering.js';
import { runStep } from './run-step.js';
import { runBatchItems } from './steps/foreach.js';

/**
 * Runs any Plan (I2). Returns when the run succeeded, at least in part; otherwise fails with the outcome as detail, so
 * that Temporal shows a failed run as failed.
 */
export async function perdure(input: RunInput): Promise<RunOutcome> {
  try {
    // Start arguments come from outside: what is wrong with them must end the run as well (I10).
    return await interpret(openContext(input), input);
  } catch (error) {
    throw toRunError(error);
  }
}

function openContext(input: RunInput): RunContext {
  const { carried } = input;
  const identity = identityOf(input);
  const gates = createGateBook(carried, gateTermsOf(identity));
  const context: Omit<RunContext, 'top'> = {
    ...identity,
    gates,
    devices: createDeviceBook(carried?.devices ?? {}),
    placement: createPlacement(),
    account: openAccount(input, identity),
    // A batch run has nothing of its own to do but the items of its foreach.
    runningSteps: createRunningSteps(
      (scope, step, at) =>
        scope === whole.top && input.batch !== undefined && step.kind === 'foreach'
          ? runBatchItems(scope, step)
          : runStep(scope, step, at),
      carried?.told_waiting === true,
    ),
    ...openSteps(carried),
    carriedGates: gates.carried,
    shortPlans: new Map(),
    madeCalls: new Map(),
    overdue: new Map(),
    rounds: new Map(),
    cancelled: null,
    items: carried?.items ?? null,
    startedAt: carried?.started_at ?? new Date().toISOString(),
    onEnd: () => undefined,
  };
  // Before the scope of `work` is made, so that it knows why it is cancelled. The promise only ever rejects (I9).
  CancellationScope.current().cancelRequested.catch(() => {
    const { cut } = whole.account;
    whole.cancelled = cut === null ? 'by request' : `because ${cut}`;
    if (whole.settings.cancel_ends_pause) cancelAccount(whole.account);
  });
  const whole = withTop(context, input);
  gates.onOpened = (gate) => noticeGate(whole, gate);
  whole.account.onPause = (pause) => noticePause(whole, pause);
  whole.account.onQuota = (used) => meetQuota(whole.account, used);
  followStatus(whole);
  showDetails(whole);
  if (carried !== null) {
    showAgain(whole);
    waitAgain(whole);
  }
  receiveNested(whole, () => startReady(whole));
  listenToSteerers(whole, (kind) => {
    gates.messages[kind] += 1;
    gates.onMessage();
  });
  acceptUnknownSignals(gates);
  return whole;
}

function gateTermsOf({ root, settings }: Pick<RunContext, 'root' | 'settings'>): GateTerms {
  // Below a nested step that was tried again the scope has that try behind a space.
  const place = { run: root.run, scope: root.first.split(' ', 1)[0] ?? root.first };
  return { wantsToken: settings.require_token === true, receipts: settings.receipts === true ? place : null };
}

/** What is known of steps that have not ended. */
function openSteps(carried: Carried | null): Pick<RunContext, 'carriedBlocks' | 'conversations' | 'since' | 'tried'> {
  const { blocks = {}, conversations = {}, since = {}, tried = {} } = carried ?? {};
  return {
    carriedBlocks: blocks,
    conversations: new Map(Object.entries(conversations)),
    since: new Map(Object.entries(since)),
    tried: new Map(Object.entries(tried)),
  };
}

async function interpret(context: RunContext, input: RunInput): Promise<RunOutcome> {
  const { top } = context;
  const lack = await lackOf(input);
  if (lack !== null) return endRun(top, input, { status: 'error', error: lack });
  const noTree = await treeLackOf(context, input);
  if (noTree !== null) return endRun(top, input, noTree);
  const clock = startClockBeside(context);
  await top.work.run(() => runSteps(top));
  clock.cancel();
  for (;;) {
    const { broken } = context.runningSteps;
    if (broken !== undefined) return breakOff(top, broken);
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
    if (top.schedule.open === 0) break;
    await continueRun(top, input);
    // One that was cancelled needs none any more; one that has too much to carry goes on by it.
    const clockOn = context.cancelled === null ? startClockBeside(context) : null;
    await resumeSteps(top);
    clockOn?.cancel();
  }
  await releaseUnneeded(context);
  return endRun(top, input, endFor(top));
}

/** What the machine lacks that the whole tree needs: told before anything is spent. A cancellation is not for this. */
async function lackOf({ root, carried, settings }: RunInput): Promise<string | null> {
  if (root !== null || carried !== null || settings.needs_sandbox !== true) return null;
  try {
    await quick.requireSandbox();
    return null;
  } catch (error) {
    if (isCancellation(error)) return null;
    return failureFrom(error).message;
  }
}

/** Makes the run's work tree where it has one; how the run ends where that cannot be made. */
async function treeLackOf(context: RunContext, input: RunInput): Promise<{ status: RunEnd; error: string } | null> {
  try {
    await makeRunTree(context, input);
    return null;
  } catch (error) {
    if (isCancellation(error)) return { status: 'cancelled', error: 'cancelled by request' };
    return { status: 'error', error: `No work tree could be made: ${failureFrom(error).message}` };
  }
}

async function endRun(
  top: Scope,
  input: RunInput,
  { status, error }: { status: RunEnd; error: string | null },
): Promise<RunOutcome> {
  const { context } = top;
  let outcome: RunOutcome;
  try {
    outcome = await closeRun(top, status, error);
  } catch (failure) {
    return breakOff(top, failure);
  }
  context.onEnd(outcome.status);
  await leaveTree(context.account, outcome);
  await noticeEnd(context, outcome);
  if (status === 'cancelled') throw new CancelledFailure('cancelled');
  // What a batch comes to is for the run that started it to judge.
  if (input.batch === undefined && (status === 'error' || status === 'timeout')) throw runFailure(outcome);
  return outcome;
}

/** Tells whether something was asked of a model: what that costs may be known to nobody. */
function isPaid({ usd, tokens }: Spend): boolean {
  return usd !== 0 || tokens > 0;
}

/** Tells whether a step's failure has stopped a run: one of an agent that the limit itself ended is none of its own. */
function isStoppedByStep({ body, steps, stopped }: Scope['schedule']): boolean {
  if (stopped === null) return false;
  return body.steps[stopped]?.kind !== 'agent' || steps[stopped]?.failure?.type !== 'limit-reached';
}

/** Fails a run that cannot go on, for a bug of ours or a store that takes nothing; people are told of that end too. */
async function breakOff({ context, schedule }: Scope, failure: unknown): Promise<never> {
  context.onEnd('error');
  await noticeEnd(context, {
    status: 'error',
    error: failure instanceof Error ? failure.message : String(failure),
    spend: schedule.spend,
  });
  throw failure;
}

function endFor({ context, schedule }: Scope): { status: RunEnd; error: string | null } {
  if (context.cancelled !== null) return { status: 'cancelled', error: `cancelled ${context.cancelled}` };
  const { stop } = restrictionsOf(context.account);
  const error = errorOf(schedule);
  if (stop === null || context.account.refused === 0) return { status: endOf(schedule), error };
  // What is done counts, an answer that was cut off too, but not where a step says that nothing may go on after its
  // failure: no limit outranks that.
  const hasPart = (hasSucceeded(schedule) || isPaid(schedule.spend)) && !isStoppedByStep(schedule);
  const status = stop.status === 'partial' && !hasPart ? 'error' : stop.status;
  return { status, error: [stop.message, error].filter((text) => text !== null).join('\n') };
}
