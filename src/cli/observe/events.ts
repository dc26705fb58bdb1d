import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ShortOutput, StepOutput } from '../../plan/calls/step-output.js';
import { wholeOutput } from '../../plan/calls/step-output.js';
import { RUN_FAILED } from '../../plan/outcomes/step-ends.js';
import type { TurnAnswer } from '../../plan/agents/conversation.js';
import { stepPathOf, turnOf } from '../../plan/agents/conversation.js';
import type { Failure } from '../../plan/failure.js';
import { isFailureType } from '../../plan/failure.js';
import type { Decision, Gate, GateEnd } from '../../plan/gates/gate.js';
import { isDecision } from '../../plan/gates/gate.js';
import type { LedgerMail } from '../../plan/budget/lease-messages.js';
import { isLedgerMail } from '../../plan/budget/lease-messages.js';
import { DECIDE, LEDGER, MEMO, NEXT_TASK_ID, STEER } from '../../plan/names.js';
import type { RunOutcome } from '../../plan/result.js';
import type { Spend } from '../../plan/budget/spend.js';
import { NO_SPEND } from '../../plan/budget/spend.js';
import { longValue } from '../../plan/packing/short-value.js';
import { unpackPlan } from '../../plan/packing/packed-plan.js';
import type { ReadRunInput, RunInput } from '../../plan/run-input.js';
import type { Pause, Steer, Warning } from '../../plan/budget/steering.js';
import { isSteer } from '../../plan/budget/steering.js';
import { NOTHING } from '../../plan/values/value.js';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
/** One event of Temporal's history, as the server sends it. */
export type HistoryEvent = NonNullable<History['events']>[number];
type Payloads = { payloads?: Parameters<typeof defaultPayloadConverter.fromPayload>[0][] | null };

/** What happened in one run, in our words; everything that viewers need of its history (decision 5). */
export type RunEvent = { at: string } & (
  | { kind: 'run-started'; input: ReadRunInput; first: string }
  | { kind: 'step-started'; path: string; activity: string }
  /** A quick step has no event of its start: `quick` says that this is both. */
  | { kind: 'step-succeeded'; path: string; output: StepOutput; quick?: true }
  /** A turn of an agent that uses tools has begun, or ended with more to do. `turn` is from 1. */
  | { kind: 'turn-started'; path: string; turn: number }
  | { kind: 'turn-ended'; path: string; spend: Spend }
  | { kind: 'step-failed'; path: string; failure: Failure; spend: Spend; quick?: true }
  /** `link` is Temporal's own run id: another try of the nested run is another one. */
  | { kind: 'nested-started'; run: string; link: string }
  /** `cut` says that others have ended it: this run did not ask for that. */
  | {
      kind: 'nested-ended';
      run: string;
      outcome: RunOutcome | null;
      failure: Failure | null;
      cut?: 'cancelled' | 'terminated';
      /** What one that was cancelled had spent. */ spent?: Spend;
    }
  /** A gate was rendered; where people are asked it is open from now on. */
  | { kind: 'gate-opened'; gate: Gate }
  /** What the memo of the run says of its gates; null is what stayed; `unlisted` tells how many are not in the list. */
  | { kind: 'gates'; gates: Gate[] | null; unlisted: number | null; ended: GateEnd | null }
  | { kind: 'decided'; decision: Decision }
  | { kind: 'paused'; pause: Pause | null }
  | { kind: 'warned'; warnings: Warning[] }
  | { kind: 'steered'; steer: Steer }
  | { kind: 'cancel-requested'; reason: string | null }
  | { kind: 'run-ended'; outcome: RunOutcome | null; failure: Failure | null; cancelled: boolean }
  | { kind: 'run-continued'; next: string }
);
/** An event without its time. */
type Fact = RunEvent extends infer E ? (E extends { at: string } ? Omit<E, 'at'> : never) : never;

/**
 * Translates the events of one run. It remembers which activity a scheduled event named, and which nested runs it
 * cancelled, so feed it in order.
 */
export function createTranslator(): (event: HistoryEvent) => RunEvent | null {
  const paths = new Map<string, string>();
  return (event) => {
    const fact = factOf(event, paths);
    // The cast puts the time back onto the union that Fact took it from.
    return fact === null ? null : { at: timeOf(event.eventTime), ...fact };
  };
}

function factOf(event: HistoryEvent, paths: Map<string, string>): Fact | null {
  return (
    activityFact(event, paths) ??
    quickFact(event) ??
    nestedFact(event, paths) ??
    steeringFact(event) ??
    messageFact(event) ??
    runFact(event)
  );
}

function activityFact(event: HistoryEvent, paths: Map<string, string>): Fact | null {
  const scheduled = event.activityTaskScheduledEventAttributes;
  if (scheduled?.activityId === NEXT_TASK_ID) return null;
  if (scheduled) {
    const path = scheduled.activityId ?? '';
    paths.set(String(event.eventId), path);
    return startedFact(path, scheduled.activityType?.name ?? '');
  }
  const completed = event.activityTaskCompletedEventAttributes;
  const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
  const cancelled = event.activityTaskCanceledEventAttributes;
  // of no step where none is known
  const path = paths.get(String((completed ?? failed ?? cancelled)?.scheduledEventId));
  if (path === undefined) return null;
  if (completed) return completedFact(path, completed.result);
  if (failed)
    return isMended(path)
      ? null
      : {
          kind: 'step-failed',
          path: stepPathOf(path),
          failure: toFailure(failed.failure),
          spend: spendIn(failed.failure),
        };
  return cancelledFact(path, cancelled);
}

function cancelledFact(path: string, cancelled: HistoryEvent['activityTaskCanceledEventAttributes']): Fact {
  return {
    kind: 'step-failed',
    path: stepPathOf(path),
    failure: { type: 'cancelled', message: 'cancelled' },
    spend: spendOf(decode<Partial<Spend>>(cancelled?.details)),
  };
}

function startedFact(path: string, activity: string): Fact | null {
  const turn = turnOf(path);
  if (turn === null) return { kind: 'step-started', path, activity };
  return turn.own && turn.call === 0 ? { kind: 'turn-started', path: stepPathOf(path), turn: turn.turn } : null;
}

function completedFact(path: string, result: Payloads | null | undefined): Fact {
  if (turnOf(path) !== null) return turnFact(path, decode<Partial<TurnAnswer>>(result) ?? {});
  return { kind: 'step-succeeded', path, output: wholeOutput(decode<ShortOutput>(result) ?? NO_OUTPUT) };
}

/**
 * What a turn came to: the step's output where it is its own conversation's last, else what it spent. Calls of tools
 * spend nothing.
 */
function turnFact(path: string, { output, usd = 0, tokens = 0, reused }: Partial<TurnAnswer>): Fact {
  const spend: Spend = { usd, tokens, steps: 0 };
  const isLast = output !== undefined && turnOf(path)?.own === true;
  if (!isLast) return { kind: 'turn-ended', path: stepPathOf(path), spend };
  return {
    kind: 'step-succeeded',
    path: stepPathOf(path),
    output: { output: longValue(output), spend, note: null, reused: reused === true },
  };
}

/** What an agent that was called fails at is told to its caller. */
function isMended(path: string): boolean {
  return turnOf(path)?.own === false;
}

/**
 * The marker that a quick step leaves, as a local activity: the SDK's form of it. Other local activities are not steps.
 */
function quickFact(event: HistoryEvent): Fact | null {
  const marker = event.markerRecordedEventAttributes;
  if (marker?.markerName !== 'core_local_activity') return null;
  if (marker.failure) {
    const detail = decode<{ path?: string }>(causeOf(marker.failure).applicationFailureInfo?.details);
    return typeof detail?.path === 'string'
      ? {
          kind: 'step-failed',
          path: detail.path,
          failure: toFailure(causeOf(marker.failure)),
          spend: NO_SPEND,
          quick: true,
        }
      : null;
  }
  const result = decode<ShortOutput | Gate | number>(marker.details?.['result']) ?? null;
  // A count, as of the run's clock, and what others yield without a path is no step's.
  const output = typeof result === 'object' ? result : null;
  if (output !== null && isOpened(output)) return { kind: 'gate-opened', gate: output };
  return typeof output?.path === 'string'
    ? { kind: 'step-succeeded', path: output.path, output: wholeOutput(output), quick: true }
    : null;
}

/** Whether a local activity rendered a gate. Gates of old histories do not name their path; the memo tells of them. */
function isOpened(result: ShortOutput | Gate): result is Gate {
  return 'hash' in result && typeof result.path === 'string' && 'message' in result;
}

function causeOf(failure: ProtoFailure): ProtoFailure {
  return failure.applicationFailureInfo || !failure.cause ? failure : causeOf(failure.cause);
}

/** What stands for an output that cannot be read. */
const NO_OUTPUT: StepOutput = { output: NOTHING, spend: NO_SPEND, note: null, reused: false };

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
  const cancelled = event.childWorkflowExecutionCanceledEventAttributes;
  const ended = cancelled ?? event.childWorkflowExecutionTerminatedEventAttributes;
  if (!ended) return null;
  const run = ended.workflowExecution?.workflowId ?? '';
  const failure: Failure = { type: 'cancelled', message: 'cancelled' };
  const left = asked.get(leftBy(run));
  const spent = left === undefined ? {} : { spent: JSON.parse(left) as Spend }; // `keepLeft` put it there
  return {
    kind: 'nested-ended',
    run,
    outcome: null,
    failure,
    ...spent,
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
    return { kind: 'paused', pause: decode<Pause>({ payloads: [memo[MEMO.paused] ?? {}] }) };
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

/** The first value of a list of payloads; null when there is none or it cannot be read. */
export function decode<T>(payloads: Payloads | null | undefined): T | null {
  const first = payloads?.payloads?.[0];
  if (first === undefined || !first.metadata?.['encoding']) return null;
  try {
    return defaultPayloadConverter.fromPayload<T>(first);
  } catch {
    return null; // what another program wrote into a run of ours is nothing that we can show
  }
}

interface ProtoFailure {
  message?: string | null;
  cause?: ProtoFailure | null;
  applicationFailureInfo?: { type?: string | null; details?: Payloads | null } | null;
  timeoutFailureInfo?: object | null;
  canceledFailureInfo?: object | null;
}

/** The outcome that a run's failure carries, at whatever depth; null when it ended otherwise. */
function outcomeIn(failure: ProtoFailure | null | undefined): RunOutcome | null {
  if (!failure) return null;
  const info = failure.applicationFailureInfo;
  return info?.type === RUN_FAILED ? decode<RunOutcome>(info.details) : outcomeIn(failure.cause);
}

/** What a failed try spent: the activity says so in its failure's detail. */
function spendIn(failure: ProtoFailure | null | undefined): Spend {
  return spendOf(decode<Partial<Spend>>(failure?.applicationFailureInfo?.details));
}

function spendOf(told: Partial<Spend> | null): Spend {
  return told?.tokens === undefined || told.usd === undefined
    ? NO_SPEND
    : { usd: told.usd, tokens: told.tokens, steps: 0 };
}

/** A failure as Temporal records it, in our closed set of types. */
export function toFailure(failure: ProtoFailure | null | undefined): Failure {
  if (!failure) return { type: 'internal', message: 'failed without a reason' };
  const type = failure.applicationFailureInfo?.type;
  if (isFailureType(type)) return { type, message: failure.message ?? '' };
  // Activities keep their own time limit; what Temporal notices is a worker that is gone.
  if (failure.timeoutFailureInfo)
    return { type: 'worker-lost', message: 'The worker that ran this step was lost: no heartbeat came.' };
  if (failure.canceledFailureInfo) return { type: 'cancelled', message: failure.message ?? 'cancelled' };
  return failure.cause ? toFailure(failure.cause) : { type: 'internal', message: failure.message ?? '' };
}

interface Timestamp {
  seconds?: { toString(): string } | number | null;
  nanos?: number | null;
}

/** A protobuf time as ISO 8601, UTC. */
export function timeOf(time: Timestamp | null | undefined): string {
  return new Date(Number(String(time?.seconds ?? 0)) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6)).toISOString();
}
