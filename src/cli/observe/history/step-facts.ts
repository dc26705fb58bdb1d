import type { ShortOutput, StepOutput } from '../../../plan/calls/step-output.js';
import { wholeOutput } from '../../../plan/calls/step-output.js';
import { modelIn } from '../../../plan/calls/short-call.js';
import type { TurnAnswer } from '../../../plan/agents/conversation.js';
import { stepPathOf, turnOf } from '../../../plan/agents/conversation.js';
import type { Failure } from '../../../plan/failure.js';
import type { Gate } from '../../../plan/gates/gate.js';
import type { TreeAct } from '../../../plan/names.js';
import { NEXT_TASK_ID, treeActivity } from '../../../plan/names.js';
import { WORKSPACE_LOST } from '../../../plan/placement/home.js';
import type { Spend } from '../../../plan/budget/spend.js';
import { NO_SPEND } from '../../../plan/budget/spend.js';
import { longValue } from '../../../plan/packing/short-value.js';
import { NOTHING } from '../../../plan/values/value.js';
import type { HistoryEvent, Payloads, ProtoFailure } from './history-values.js';
import type { Fact } from './run-event.js';
import { toFailure, spendIn, spendOf, decode } from './history-values.js';

/** `TIMEOUT_TYPE_SCHEDULE_TO_START` of Temporal's API. */
const SCHEDULE_TO_START = 2;
/** The SDK's name of the marker that a local activity leaves. */
const LOCAL_ACTIVITY = 'core_local_activity';

type Scheduled = NonNullable<HistoryEvent['activityTaskScheduledEventAttributes']>;

/** What an event of an activity says of its step; null where it is of no step, or says nothing new. */
export function activityFact(event: HistoryEvent, paths: Map<string, string>): Fact | null {
  const scheduled = event.activityTaskScheduledEventAttributes;
  if (scheduled?.activityId === NEXT_TASK_ID) return null;
  if (scheduled) {
    const path = scheduled.activityId ?? '';
    paths.set(String(event.eventId), path);
    return treeActivity(path) === null ? startedFact(path, scheduled) : null;
  }
  return endFact(event, paths);
}

/** How an activity has ended. */
function endFact(event: HistoryEvent, paths: Map<string, string>): Fact | null {
  const { completed, failed, cancelled } = endOf(event);
  // of no step where none is known
  const path = paths.get(String((completed ?? failed ?? cancelled)?.scheduledEventId));
  if (path === undefined) return null;
  const ofTree = treeActivity(path);
  if (failed && isLeft(failed.failure)) return leftFact(path);
  if (ofTree !== null) return treeFact(ofTree, event);
  if (completed) return completedFact(path, completed.result);
  return failed ? failedFact(path, failed.failure) : cancelledFact(path, cancelled);
}

function leftFact(path: string): Fact | null {
  return treeActivity(path) === null && turnOf(path) === null ? { kind: 'step-left', path } : null;
}

/** It was not begun where it was sent, or its files are elsewhere now: the same try is made there. */
function isLeft(failure: ProtoFailure | null | undefined): boolean {
  return (
    failure?.timeoutFailureInfo?.timeoutType === SCHEDULE_TO_START ||
    failure?.applicationFailureInfo?.type === WORKSPACE_LOST
  );
}

function failedFact(path: string, failure: ProtoFailure | null | undefined): Fact {
  const spend = spendIn(failure);
  if (isMended(path)) return { kind: 'turn-ended', path: stepPathOf(path), spend };
  const turn = turnOf(path) === null ? {} : { turn: true as const };
  return { kind: 'step-failed', path: stepPathOf(path), failure: toFailure(failure), spend, ...turn };
}

function endOf(event: HistoryEvent): {
  completed: HistoryEvent['activityTaskCompletedEventAttributes'];
  failed: HistoryEvent['activityTaskFailedEventAttributes'] | HistoryEvent['activityTaskTimedOutEventAttributes'];
  cancelled: HistoryEvent['activityTaskCanceledEventAttributes'];
} {
  return {
    completed: event.activityTaskCompletedEventAttributes,
    failed: event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes,
    cancelled: event.activityTaskCanceledEventAttributes,
  };
}

/** Of a step that commits: that it did, or why it has not ended well, whatever it yielded. */
function treeFact({ act, path }: { act: TreeAct; path: string }, event: HistoryEvent): Fact | null {
  const { completed, failed } = endOf(event);
  if (act === 'make') return null;
  if (completed) return act === 'commit' ? { kind: 'step-committed', path } : null;
  const failure: Failure = failed ? toFailure(failed.failure) : { type: 'cancelled', message: 'cancelled' };
  return { kind: 'step-failed', path, failure, spend: NO_SPEND };
}

function cancelledFact(path: string, cancelled: HistoryEvent['activityTaskCanceledEventAttributes']): Fact {
  return {
    kind: 'step-failed',
    path: stepPathOf(path),
    failure: { type: 'cancelled', message: 'cancelled' },
    spend: spendOf(decode<Partial<Spend>>(cancelled?.details)),
  };
}

function startedFact(path: string, { activityType, input }: Scheduled): Fact | null {
  const turn = turnOf(path);
  const activity = activityType?.name ?? '';
  const model = activity === 'callModel' || activity === 'askTurn' ? modelIn(decode(input)) : null;
  const asked = model === null ? {} : { model };
  if (turn === null) return { kind: 'step-started', path, activity, ...asked };
  if (!turn.own || turn.call !== 0) return null;
  return { kind: 'turn-started', path: stepPathOf(path), turn: turn.turn, ...asked };
}

function completedFact(path: string, result: Payloads | null | undefined): Fact {
  if (turnOf(path) !== null) return turnFact(path, decode<Partial<TurnAnswer>>(result) ?? {});
  return { kind: 'step-succeeded', path, output: wholeOutput(decode<ShortOutput>(result) ?? NO_OUTPUT) };
}

/**
 * What a turn came to: the step's output where it is its own conversation's last, else what it spent. Calls of tools
 * spend nothing.
 */
function turnFact(
  path: string,
  { output, usd = 0, tokens = 0, reused }: Partial<TurnAnswer>,
): Extract<Fact, { kind: 'turn-ended' | 'step-succeeded' }> {
  const spend: Spend = { usd, tokens, steps: 0 };
  const isLast = output !== undefined && turnOf(path)?.own === true;
  if (!isLast) return { kind: 'turn-ended', path: stepPathOf(path), spend };
  return {
    kind: 'step-succeeded',
    path: stepPathOf(path),
    output: { output: longValue(output), spend, note: null, reused: reused === true },
  };
}

/** What an agent that was called fails at is told to its caller: the step goes on, and has spent that. */
function isMended(path: string): boolean {
  return turnOf(path)?.own === false;
}

/** What the marker of a row says of its steps, which have succeeded one after another; nothing for other events. */
export function rowFacts(event: HistoryEvent): Fact[] {
  const marker = event.markerRecordedEventAttributes;
  if (marker?.markerName !== LOCAL_ACTIVITY || marker.failure) return [];
  const outputs = decode<ShortOutput[]>(marker.details?.['result']);
  if (!Array.isArray(outputs)) return [];
  // Other lists name no steps.
  return outputs.flatMap((output) => (typeof output?.path === 'string' ? [quickEnd(output.path, output)] : []));
}

/**
 * The marker that a quick step leaves, as a local activity: the SDK's form of it. Other local activities are not steps.
 */
export function quickFact(event: HistoryEvent): Fact | null {
  const marker = event.markerRecordedEventAttributes;
  if (marker?.markerName !== LOCAL_ACTIVITY) return null;
  if (marker.failure) {
    const cause = causeOf(marker.failure);
    const detail = decode<{ path?: string }>((cause.applicationFailureInfo ?? cause.canceledFailureInfo)?.details);
    return typeof detail?.path === 'string' ? quickFailure(detail.path, cause) : null;
  }
  return resultFact(decode<ShortOutput | Gate | number>(marker.details?.['result']) ?? null);
}

/** A count, as of the run's clock, and what others yield without a path is no step's. */
function resultFact(output: ShortOutput | Gate | number | null): Fact | null {
  if (typeof output !== 'object' || output === null) return null;
  if (isOpened(output)) return { kind: 'gate-opened', gate: output };
  if (isFound(output)) return { kind: 'spend-found', path: stepPathOf(output.found), spend: spendOf(output) };
  return typeof output.path === 'string' ? quickEnd(output.path, output) : null;
}

function quickEnd(path: string, output: ShortOutput): Fact {
  if (turnOf(path) !== null) return { ...turnFact(path, output as Partial<TurnAnswer>), quick: 'turn' }; // by its name
  return { kind: 'step-succeeded', path, output: wholeOutput(output), quick: 'step' };
}

function quickFailure(path: string, cause: ProtoFailure): Fact {
  const spend = spendIn(cause);
  const quick = turnOf(path) === null ? 'step' : 'turn';
  if (isMended(path)) return { kind: 'turn-ended', path: stepPathOf(path), spend, quick };
  const turn = quick === 'turn' ? { turn: true as const } : {};
  return { kind: 'step-failed', path: stepPathOf(path), failure: toFailure(cause), spend, quick, ...turn };
}

/** Tells whether a local activity has looked for what was spent. */
function isFound(result: object): result is Spend & { found: string } {
  return 'found' in result && typeof result.found === 'string';
}

/** Tells whether a local activity rendered a gate. */
function isOpened(result: ShortOutput | Gate): result is Gate {
  return 'hash' in result && typeof result.path === 'string' && 'message' in result;
}

function causeOf(failure: ProtoFailure): ProtoFailure {
  return failure.applicationFailureInfo || failure.canceledFailureInfo || !failure.cause
    ? failure
    : causeOf(failure.cause);
}

/** What stands for an output that cannot be read. */
const NO_OUTPUT: StepOutput = { output: NOTHING, spend: NO_SPEND, note: null, reused: false };
