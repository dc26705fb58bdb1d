import { isCancellation } from '@temporalio/workflow';
import type { ShortOutput } from '../activities/contract.js';
import type { Failure } from '../plan/failure.js';
import { isOver } from '../plan/agents/conversation.js';
import { countedOnce } from '../plan/outcomes/step-ends.js';
import { segmentOf } from '../plan/plan.js';
import { nextTryDelay } from '../plan/outcomes/retry-delay.js';
import { isInDoubt } from '../plan/outcomes/flash-recovery.js';
import type { Amounts } from '../plan/budget/amounts.js';
import { NONE } from '../plan/budget/amounts.js';
import { addPaid } from '../plan/budget/paid-before.js';
import type { QuotaUsed } from '../plan/budget/quota.js';
import { addSpend, NO_SPEND } from '../plan/budget/spend.js';
import type { CarriedTries } from '../plan/schedule/carried.js';
import type { StepEnd } from '../plan/schedule/schedule-state.js';
import { wholeOutput } from '../plan/calls/step-output.js';
import type { Step } from '../plan/step.js';
import type { Scope } from './state/context.js';
import { sleepIn } from './state/running-steps.js';
import { restrictionsOf } from './state/account.js';
import type { Reservation } from './budget/reserve.js';
import { askedIn, hasBegun, reserve } from './budget/reserve.js';
import { settleReservation } from './budget/settle-reservation.js';
import { pathOf, reasonFor, triesBefore } from './state/context.js';
import { failureFrom, paidIn, quotaIn, shortIn, spendIn } from './failures.js';
import { meetQuota } from './budget/quota.js';
import type { Told } from './budget/untold-spend.js';
import { toldBy, untoldSpend } from './budget/untold-spend.js';
import { askCheckpoint, whyChecked } from './running/checkpoint.js';
import { askAfterLoss } from './running/worker-lost.js';
import { runAgent } from './steps/agent.js';
import { runApproval } from './steps/approval.js';
import { runCommand } from './steps/command.js';
import { runConversation } from './conversation/run-conversation.js';
import { runCompile } from './steps/compile.js';
import { askReady, recover, runFlash } from './steps/flash.js';
import { runForeach } from './steps/foreach.js';
import { runLoop } from './steps/loop.js';
import { runPlan } from './steps/plan.js';
import { runSerial } from './steps/serial.js';
import { runSet } from './steps/set.js';
import { askLeave, isAskedAgain, isJudgedInCall, runTool } from './steps/tool.js';
import { runWait } from './steps/wait.js';
import { runNested } from './steps/workflow.js';
import { withWorker } from './running/required-worker.js';
import { tryAndCommit } from './running/own-tree.js';
import { noteOverdue } from './running/cut-off.js';
import { limitOfNested, withinLimit } from './running/time-limit.js';
import { failed, keepTries, openTries } from './running/tries.js';
import type { Tries } from './running/tries.js';
import { conditionHolds } from './state/values.js';

/**
 * Runs one step to its end, with all its tries. Never fails for what a step can do; rejects for a bug of ours.
 * `startedAt` is when it first started, in epoch milliseconds: continuing as new does not begin its deadline anew. The
 * SDK formats a stack trace of every promise of a workflow, and an `await` in an `async` function makes two. So a step
 * that ends with its first try costs two promises here, beside the SDK's own: what follows is chained where others
 * would await.
 */
export function runStep(scope: Scope, step: Step, startedAt: number): Promise<StepEnd> {
  const { carried, ...tries } = openTries(scope, step);
  const limit = {
    ms: isGate(step) ? 0 : remainingMs(step, startedAt),
    summary: () => `deadline of ${segmentOf(step)}`,
    onOver: () => noteOverdue(scope, step, late(step)),
    expired: () => deadlineEnd(step),
  };
  return begin(() =>
    withinLimit(limit, () => (carried === null ? tryAll(scope, step, tries) : goOn(scope, step, tries, carried))),
  ).then(
    (end) => counted(step, tries, end),
    (error: unknown) => {
      if (!isCancellation(error)) throw error;
      return counted(step, tries, tries.waitsToBegin ? notStarted(reasonFor(scope)) : cancelled(reasonFor(scope)));
    },
  );
}

function counted(step: Step, { count, spent }: Tries, end: StepEnd): StepEnd {
  return { attempts: count, ...end, spend: countedOnce(step, end.reused === true ? 0 : count, spent) };
}

/** What is thrown before there is a promise is told as what goes wrong later. */
function begin<T>(run: () => Promise<T>): Promise<T> {
  try {
    return run();
  } catch (error) {
    return Promise.reject(error instanceof Error ? error : new Error(String(error)));
  }
}

function tryAll(scope: Scope, step: Step, tries: Tries): Promise<StepEnd> {
  if (step.when === null) return tryFirst(scope, step, tries);
  return conditionHolds(scope, step, 'when').then((holds) =>
    holds ? tryFirst(scope, step, tries) : { status: 'skipped', reason: '`when` is false' },
  );
}

/**
 * The first try, once a device is ready for its image where that is asked, a call is allowed, or a person has let the
 * step act.
 */
function tryFirst(scope: Scope, step: Step, tries: Tries): Promise<StepEnd> {
  if (step.kind === 'tool') return tryAllowed(scope, step, tries);
  const checkpoint = whyChecked(scope, step);
  if (step.kind !== 'flash')
    return checkpoint === null ? tryNext(scope, step, tries) : tryChecked(scope, step, tries, checkpoint);
  if (step.ready === null && checkpoint === null) return tryNext(scope, step, tries);
  return askReady(scope, step, checkpoint)
    .catch(endOfAsking)
    .then((readiness) => {
      if ('end' in readiness) return readiness.end;
      tries.flash.image = readiness.image;
      keepTries(scope, step, tries, true);
      return tryNext(scope, step, tries);
    });
}

async function tryChecked(scope: Scope, step: Step, tries: Tries, checkpoint: string): Promise<StepEnd> {
  const end = await askCheckpoint(scope, step, checkpoint).catch((error: unknown) => endOfAsking(error).end);
  if (end !== null) return end;
  keepTries(scope, step, tries, true);
  return tryNext(scope, step, tries);
}

function tryAllowed(scope: Scope, step: Step & { kind: 'tool' }, tries: Tries): Promise<StepEnd> {
  tries.unjudged = isJudgedInCall(scope, step);
  return tries.unjudged ? tryNext(scope, step, tries) : askAndTry(scope, step, tries, false);
}

async function askAndTry(
  scope: Scope,
  step: Step & { kind: 'tool' },
  tries: Tries,
  renewed: boolean,
): Promise<StepEnd> {
  tries.unjudged = false;
  const permission = await askLeave(scope, step, renewed).catch(endOfAsking);
  if ('end' in permission) return permission.end;
  tries.allowed = permission.allowed;
  if (tries.allowed !== null) keepTries(scope, step, tries, true);
  return tryNext(scope, step, tries);
}

/** A step that cannot be asked about, such as one without an image, has failed by itself. */
function endOfAsking(error: unknown): { end: StepEnd } {
  if (isCancellation(error)) throw error;
  return { end: failedTry(error, NONE) };
}

/** Makes one try in its turn, and more as long as `afterTry` says so. */
function tryNext(scope: Scope, step: Step, tries: Tries): Promise<StepEnd> {
  const { conversations, carriedGates } = scope.context;
  const path = pathOf(scope, step);
  const isCounted = tries.last !== null || hasPaid(tries) || conversations.has(path) || carriedGates.has(path);
  const turn = reserve(scope, step, !isCounted, tries.short);
  if (!(turn instanceof Promise)) return tryInTurn(scope, step, tries, turn);
  tries.waitsToBegin = !isCounted && tries.count === 0 && !hasBegun(scope, step, path);
  return turn.then((given) => tryInTurn(scope, step, tries, given));
}

/** One try in its turn, which is settled however the try ended. Without a turn the run starts nothing any more. */
function tryInTurn(scope: Scope, step: Step, tries: Tries, turn: Reservation | null): Promise<StepEnd> {
  tries.waitsToBegin = false;
  if (turn === null) return Promise.resolve(endUnasked(scope, step, tries));
  // What was refused is the same try, but asked of another model it is another question.
  if (tries.short === null || askedIn(turn) !== tries.short.model) {
    tries.count += 1;
    tries.paid = null;
  }
  const over = (end: StepEnd, isTold = true, quota: QuotaUsed | null = null): StepEnd | Promise<StepEnd> => {
    settleReservation(scope.context, turn, end, isTold);
    tries.short = end.short === undefined ? null : { need: end.short, model: askedIn(turn) };
    if (end.paid !== undefined) tries.paid = addPaid(tries.paid, end.paid);
    if (quota !== null) meetQuota(scope.context.account, quota);
    return afterTry(scope, step, tries, end);
  };
  const count = triesBefore(scope, step) + tries.count;
  const once = (): Promise<StepEnd | ShortOutput> => tryOnce(scope, step, turn, { ...tries, count });
  return begin(() =>
    step.commit === undefined ? once() : tryAndCommit(scope, step, count, () => once().then(endOf)),
  ).then(
    (end) => over(endOf(end)),
    (error: unknown) => {
      const ended = ({ spend, isTold }: Told): StepEnd | Promise<StepEnd> => {
        if (!isCancellation(error)) return over({ ...failedTry(error, turn.need), spend }, isTold, quotaIn(error));
        tries.spent = addSpend(tries.spent, spend);
        const end = { ...failed({ type: 'cancelled', message: 'cancelled' }), spend };
        settleReservation(scope.context, turn, end, isTold);
        throw error;
      };
      const told = toldOf(scope, step, turn, { error, count, tries });
      return told instanceof Promise ? told.then(ended) : ended(told);
    },
  );
}

/** What a try has spent that failed or was cancelled. */
function toldOf(
  scope: Scope,
  step: Step,
  { inParts }: Reservation,
  { error, count, tries }: { error: unknown; count: number; tries: Tries },
): Told | Promise<Told> {
  const told = toldBy(error);
  if (step.kind !== 'agent') return told;
  const path = pathOf(scope, step);
  if (!inParts) return untoldSpend(scope.context, error, { path, part: [count], paid: tries.paid }) ?? told;
  // Its turns have told what they spent; what fails there is no cancellation here. That of an earlier try is counted.
  const conversation = scope.context.conversations.get(path);
  return { ...told, spend: conversation?.tried === tries.count ? conversation.spend : NO_SPEND };
}

/** How the step ends, or its next try: at once where the last one was refused before anything was asked. */
function afterTry(scope: Scope, step: Step, tries: Tries, end: StepEnd): StepEnd | Promise<StepEnd> {
  if (tries.short !== null) {
    tries.spent = addSpend(tries.spent, end.spend ?? NO_SPEND);
    keepTries(scope, step, tries, true);
    return tryNext(scope, step, tries);
  }
  if (isAskedAgain(scope, step, tries, end)) {
    // Nothing was done: it is the same try.
    tries.count -= 1;
    return askAndTry(scope, step, tries, !tries.unjudged);
  }
  tries.last = end;
  tries.spent = addSpend(tries.spent, end.spend ?? NO_SPEND);
  return endOrTryAgain(scope, step, tries, end);
}

/** A step whose run has continued as new goes on where it was: it asks what was asked, or tries again. */
async function goOn(scope: Scope, step: Step, tries: Tries, { again = false }: CarriedTries): Promise<StepEnd> {
  return again || tries.last === null ? tryNext(scope, step, tries) : endOrTryAgain(scope, step, tries, tries.last);
}

function endOrTryAgain(scope: Scope, step: Step, tries: Tries, end: StepEnd): StepEnd | Promise<StepEnd> {
  if ('failure' in end) keepTries(scope, step, tries, false);
  const again = (stop: StepEnd | null): StepEnd | Promise<StepEnd> => {
    if (stop !== null) return stop;
    keepTries(scope, step, tries, true);
    return tryNext(scope, step, tries);
  };
  // What a lost worker has left of a flash can be looked at.
  tries.flash.act = isUncertain(step, end) ? 'inspect' : 'write';
  if (isUncertain(step, end))
    return step.kind === 'flash' ? tryNext(scope, step, tries) : askAfterLoss(scope, step, tries.count).then(again);
  const delay = 'failure' in end ? nextTryDelay(step, end.failure, tries.count) : null;
  if (delay === null)
    return 'failure' in end && isInDoubt(step, end.failure)
      ? recover(scope, step, tries.count, end.failure).then(again)
      : end;
  if (scope.context.settings.no_waits === true) return again(null);
  return sleepIn(scope.context.runningSteps, delay, `next try of ${segmentOf(step)}`).then(() => again(null));
}

/** What is left of a step's deadline: 0 is no limit, and 1 ms one that has passed while the run continued as new. */
function remainingMs({ deadline_ms }: Step, startedAt: number): number {
  return deadline_ms === null ? 0 : Math.max(1, startedAt + deadline_ms - Date.now());
}

/** An external effect whose worker was lost may have happened: it is never repeated silently (decision 13). */
function isUncertain(step: Step, end: StepEnd): boolean {
  return step.effect === 'external' && 'failure' in end && end.failure.type === 'worker-lost';
}

function deadlineEnd(step: Step): StepEnd {
  return failed({ type: 'timeout', message: `The step ${late(step)}.` });
}

function late({ deadline_ms }: Step): string {
  return `did not end within its deadline of ${(deadline_ms ?? 0) / 1000} s`;
}

/** A gate knows its deadline itself: people are shown it, and it stays the same when the run continues as new. */
function isGate(step: Step): boolean {
  return step.kind === 'approval' || step.kind === 'ask';
}

function cancelled(why: string): StepEnd {
  return failed({ type: 'cancelled', message: `cancelled: ${why}` });
}

/**
 * How a step ends that gets no more of what it needs: as its try before did; where its question has been paid for, by
 * what keeps it from going on; else it is started no more.
 */
function endUnasked(scope: Scope, step: Step, tries: Tries): StepEnd {
  if (tries.last !== null) return tries.last;
  if (!hasPaid(tries)) {
    // Refused before anything was asked, it was no try.
    if (tries.short !== null) tries.count -= 1;
    return notStarted(stopOf(scope));
  }
  return restrictionsOf(scope.context.account).stop?.cause === 'cancel'
    ? cancelled(reasonFor(scope))
    : failed({ type: 'limit-reached', message: `\`${segmentOf(step)}\` has not come to an answer: ${stopOf(scope)}` });
}

/** Tells whether something was paid for it, of whichever model it was asked. */
function hasPaid({ paid, spent }: Tries): boolean {
  return paid !== null || spent.tokens > 0 || spent.usd !== 0;
}

/** A step that is started no more. */
function notStarted(why: string): StepEnd {
  return { status: 'skipped', reason: `skipped: ${why}`, cut: true };
}

function stopOf({ context }: Scope): string {
  return restrictionsOf(context.account).stop?.message ?? 'the run starts nothing any more';
}

/** What one try is told of those before. */
type TryOf = Pick<Tries, 'count' | 'flash' | 'allowed' | 'unjudged' | 'last' | 'paid'>;

/** One try. Activities keep the limit of a try themselves; a nested run has nobody else who would. */
function tryOnce(scope: Scope, step: Step, turn: Reservation, tries: TryOf): Promise<StepEnd | ShortOutput> {
  if (step.kind !== 'workflow') {
    const run = (): Promise<StepEnd | ShortOutput> => dispatch(scope, step, turn, tries);
    return step.requires === undefined ? run() : withWorker(scope.context, step.requires, run);
  }
  return withinLimit(limitOfNested(scope, step), () => runNested(scope, step, tries.count));
}

/** `had` is what was reserved for the try. */
function failedTry(error: unknown, had: Amounts): StepEnd {
  const short = shortIn(error, had);
  const paid = paidIn(error);
  return {
    ...failed(failureFrom(error)),
    spend: spendIn(error),
    ...(short === null ? {} : { short }),
    ...(paid === null ? {} : { paid }),
  };
}

/** One line a kind. */
function dispatch(
  scope: Scope,
  step: Exclude<Step, { kind: 'workflow' }>,
  turn: Reservation,
  { count: tried, flash, last, paid, ...leave }: TryOf,
): Promise<StepEnd | ShortOutput> {
  switch (step.kind) {
    case 'agent':
      return (turn.inParts ? runConversation : runAgent)(scope, step, turn, {
        tried,
        last: overIn(last),
        paid,
      });
    case 'command':
      return runCommand(scope, step, tried);
    case 'tool':
      return runTool(scope, step, tried, leave);
    case 'approval':
    case 'ask':
      return runApproval(scope, step);
    case 'plan':
      return runPlan(scope, step, tried);
    case 'set':
      return runSet(scope, step);
    case 'wait':
      return runWait(scope, step);
    case 'foreach':
      return runForeach(scope, step);
    case 'loop':
      return runLoop(scope, step);
    case 'compile':
      return runCompile(scope, step, tried);
    case 'flash':
      return runFlash(scope, step, tried, flash);
    case 'serial':
      return runSerial(scope, step, tried);
  }
}

/** Why the attempt before is over; null where there was none, or it goes on. */
function overIn(last: StepEnd | null): Failure | null {
  return last !== null && 'failure' in last && isOver(last.failure) ? last.failure : null;
}

function endOf(end: StepEnd | ShortOutput): StepEnd {
  return 'status' in end ? end : success(end);
}

function success(short: ShortOutput): StepEnd {
  const { output, spend, note, reused, duration_ms } = wholeOutput(short);
  return { status: 'success', output, spend, note, reused, ...(duration_ms === undefined ? {} : { duration_ms }) };
}
