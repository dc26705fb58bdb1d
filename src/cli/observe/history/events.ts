import type { Failure } from '../../../plan/failure.js';
import type { Gate, GateEnd } from '../../../plan/gates/gate.js';
import { isDecision } from '../../../plan/gates/gate.js';
import type { LedgerMail } from '../../../plan/budget/lease-messages.js';
import { isLedgerMail } from '../../../plan/budget/lease-messages.js';
import { DECIDE, LEDGER, MEMO, STEER, waitedPath } from '../../../plan/names.js';
import type { RunOutcome } from '../../../plan/result.js';
import type { Spend } from '../../../plan/budget/spend.js';
import { unpackPlan } from '../../../plan/packing/packed-plan.js';
import type { RunInput } from '../../../plan/run-input.js';
import type { Pause, Warning } from '../../../plan/budget/steering.js';
import { isSteer } from '../../../plan/budget/steering.js';
import type { HistoryEvent } from './history-values.js';
import type { RunEvent, Fact } from './run-event.js';
import { timeOf, decode, outcomeIn, toFailure } from './history-values.js';
import { activityFact, quickFact, rowFacts } from './step-facts.js';

/**
 * Translates the events of one run, each to what it says, which may be nothing. It remembers which activity a scheduled
 * event named, and which nested runs it cancelled, so feed it in order.
 */
export function createTranslator(): (event: HistoryEvent) => RunEvent[] {
  const paths = new Map<string, string>();
  return (event) => {
    const at = timeOf(event.eventTime);
    const fact = factOf(event, paths);
    const facts = fact === null ? rowFacts(event) : [fact];
    return facts.map((one): RunEvent => ({ at, ...one }));
  };
}

function factOf(event: HistoryEvent, paths: Map<string, string>): Fact | null {
  return (
    activityFact(event, paths) ??
    quickFact(event) ??
    nestedFact(event, paths) ??
    waitFact(event, paths) ??
    steeringFact(event) ??
    messageFact(event) ??
    runFact(event)
  );
}

/** What the timer of a `wait` step says; the timers of others say nothing of a step. */
function waitFact(event: HistoryEvent, waits: Map<string, string>): Fact | null {
  if (event.timerStartedEventAttributes) {
    const summary = decode({ payloads: [event.userMetadata?.summary ?? {}] });
    const path = typeof summary === 'string' ? waitedPath(summary) : null;
    if (path === null) return null;
    waits.set(timerOf(event.eventId), path);
    return { kind: 'waiting', path, state: 'begun' };
  }
  const passed = event.timerFiredEventAttributes;
  const ended = passed ?? event.timerCanceledEventAttributes;
  const path = ended && waits.get(timerOf(ended.startedEventId));
  return path ? { kind: 'waiting', path, state: passed ? 'passed' : 'stopped' } : null;
}

/** What stands among the paths of activities for a timer. */
function timerOf(startedEventId: HistoryEvent['eventId']): string {
  return `timer ${String(startedEventId)}`;
}

function nestedFact(event: HistoryEvent, asked: Map<string, string>): Fact | null {
  const started = event.childWorkflowExecutionStartedEventAttributes;
  if (started) {
    const { workflowId, runId } = started.workflowExecution ?? {};
    return { kind: 'nested-started', run: workflowId ?? '', link: runId ?? '' };
  }
  const completed = event.childWorkflowExecutionCompletedEventAttributes;
  if (completed) {
    return {
      kind: 'nested-ended',
      run: completed.workflowExecution?.workflowId ?? '',
      outcome: decode<RunOutcome>(completed.result),
      failure: null,
    };
  }
  const failed = event.childWorkflowExecutionFailedEventAttributes;
  if (failed)
    return {
      kind: 'nested-ended',
      run: failed.workflowExecution?.workflowId ?? '',
      outcome: outcomeIn(failed.failure),
      failure: toFailure(failed.failure),
    };
  return cutFact(event, asked);
}

/** A nested run that was ended from outside, by this run or by others. */
function cutFact(event: HistoryEvent, asked: Map<string, string>): Fact | null {
  const asking = event.requestCancelExternalWorkflowExecutionInitiatedEventAttributes;
  if (asking) asked.set(cancelOf(asking.workflowExecution?.workflowId), '');
  keepLeft(event, asked);
  keepReason(event, asked);
  const cancelled = event.childWorkflowExecutionCanceledEventAttributes;
  const ended = cancelled ?? event.childWorkflowExecutionTerminatedEventAttributes;
  if (!ended) return null;
  const run = ended.workflowExecution?.workflowId ?? '';
  const failure: Failure = { type: 'cancelled', message: 'cancelled' };
  const left = asked.get(leftBy(run));
  const spent = left === undefined ? {} : { spent: JSON.parse(left) as Spend }; // `keepLeft` put it there
  const why = asked.get(reasonOf(run));
  asked.delete(reasonOf(run)); // the next try has the same id
  return {
    kind: 'nested-ended',
    run,
    outcome: null,
    failure,
    ...spent,
    ...(why === undefined ? {} : { why }),
    ...(asked.has(cancelOf(run)) ? {} : { cut: cancelled ? 'cancelled' : 'terminated' }),
  };
}

/** The last word of a nested run that was cancelled tells what it had spent. */
function keepLeft(
  { workflowExecutionSignaledEventAttributes: signal }: HistoryEvent,
  asked: Map<string, string>,
): void {
  const mail = signal?.signalName === LEDGER ? decode<LedgerMail>(signal.input) : null;
  if (isLedgerMail(mail) && 'up' in mail && mail.left !== undefined)
    asked.set(leftBy(mail.from), JSON.stringify(mail.left.spend));
}

/** This run tells a nested one why it is cut off before it cancels it. */
function keepReason(
  { signalExternalWorkflowExecutionInitiatedEventAttributes: signal }: HistoryEvent,
  asked: Map<string, string>,
): void {
  const mail = signal?.signalName === LEDGER ? decode<LedgerMail>(signal.input) : null;
  if (isLedgerMail(mail) && 'cut' in mail) asked.set(reasonOf(signal?.workflowExecution?.workflowId), mail.cut);
}

function reasonOf(run: string | null | undefined): string {
  return `why ${run ?? ''}`;
}

function leftBy(run: string): string {
  return `left ${run}`;
}

/** What stands among the paths for a nested run that this run asked to cancel: no path has a space. */
function cancelOf(run: string | null | undefined): string {
  return `cancel ${run ?? ''}`;
}

/** What was asked of the run by who steers it, and whether it is paused. */
function steeringFact(event: HistoryEvent): Fact | null {
  const told = budgetFact(event);
  if (told !== null) return told;
  const signal = event.workflowExecutionSignaledEventAttributes;
  const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
  const steer =
    signal?.signalName === STEER ? decode(signal.input) : update?.name === STEER ? decode(update.args) : null;
  return isSteer(steer) ? { kind: 'steered', steer } : null;
}

function budgetFact(event: HistoryEvent): Fact | null {
  const memo = event.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields;
  if (memo && Object.hasOwn(memo, MEMO.paused))
    // A memo that was taken away decodes to nothing.
    return { kind: 'paused', pause: decode<Pause>({ payloads: [memo[MEMO.paused] ?? {}] }) ?? null };
  if (memo && Object.hasOwn(memo, MEMO.warnings))
    return { kind: 'warned', warnings: decode<Warning[]>({ payloads: [memo[MEMO.warnings] ?? {}] }) ?? [] };
  return null;
}

function messageFact(event: HistoryEvent): Fact | null {
  const memo = event.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields;
  if (memo && [MEMO.waiting, MEMO.unlisted, MEMO.decided].some((key) => Object.hasOwn(memo, key))) {
    const field = <T>(key: string): T | null => decode<T>({ payloads: [memo[key] ?? {}] });
    return {
      kind: 'gates',
      gates: field<Gate[]>(MEMO.waiting),
      unlisted: field<number>(MEMO.unlisted),
      ended: field<GateEnd>(MEMO.decided),
    };
  }
  const signal = event.workflowExecutionSignaledEventAttributes;
  const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
  const decision =
    signal?.signalName === DECIDE ? decode(signal.input) : update?.name === DECIDE ? decode(update.args) : null;
  return isDecision(decision) ? { kind: 'decided', decision } : null;
}

function runFact(event: HistoryEvent): Fact | null {
  const started = event.workflowExecutionStartedEventAttributes;
  if (started) {
    const input = decode<Partial<RunInput>>(started.input);
    // A run of another program has none of ours to show.
    return isRunInput(input)
      ? {
          kind: 'run-started',
          input: { ...input, plan: unpackPlan(input.plan) },
          first: started.firstExecutionRunId ?? '',
        }
      : null;
  }
  const cancel = event.workflowExecutionCancelRequestedEventAttributes;
  if (cancel) return { kind: 'cancel-requested', reason: cancel.cause || null };
  const continued = event.workflowExecutionContinuedAsNewEventAttributes;
  if (continued) return { kind: 'run-continued', next: continued.newExecutionRunId ?? '' };
  return closingFact(event);
}

function isRunInput(input: Partial<RunInput> | null): input is RunInput {
  return input?.plan !== undefined && input.settings !== undefined;
}

function closingFact(event: HistoryEvent): Fact | null {
  const completed = event.workflowExecutionCompletedEventAttributes;
  if (completed)
    return { kind: 'run-ended', outcome: decode<RunOutcome>(completed.result), failure: null, cancelled: false };
  const failed = event.workflowExecutionFailedEventAttributes;
  if (failed)
    return {
      kind: 'run-ended',
      outcome: outcomeIn(failed.failure),
      failure: toFailure(failed.failure),
      cancelled: false,
    };
  const cancelled = event.workflowExecutionCanceledEventAttributes;
  if (cancelled)
    return { kind: 'run-ended', outcome: decode<RunOutcome>(cancelled.details), failure: null, cancelled: true };
  const terminated = event.workflowExecutionTerminatedEventAttributes;
  if (terminated) {
    const message = `the run was terminated${terminated.reason ? `: ${terminated.reason}` : ''}`;
    return { kind: 'run-ended', outcome: null, failure: { type: 'cancelled', message }, cancelled: true };
  }
  if (event.workflowExecutionTimedOutEventAttributes) {
    return {
      kind: 'run-ended',
      outcome: null,
      failure: { type: 'timeout', message: 'the run timed out' },
      cancelled: false,
    };
  }
  return null;
}
