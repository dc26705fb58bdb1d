import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TemporalFailure,
  TerminatedFailure,
  TimeoutFailure,
  isCancellation,
} from '@temporalio/workflow';
import { RUN_FAILED } from '../plan/outcomes/step-ends.js';
import type { Amounts } from '../plan/budget/amounts.js';
import { NONE, toNanoUsd } from '../plan/budget/amounts.js';
import type { Failure } from '../plan/failure.js';
import { isFailureType, isUnasked } from '../plan/failure.js';
import type { RunOutcome } from '../plan/result.js';
import type { QuotaUsed } from '../plan/budget/quota.js';
import type { PaidBefore } from '../plan/budget/paid-before.js';
import { spendOfPaid } from '../plan/budget/paid-before.js';
import type { Spend } from '../plan/budget/spend.js';
import { NO_SPEND } from '../plan/budget/spend.js';
import { cutTo } from '../plan/text/cut-to.js';

/** Errors are told in full up to this many characters; histories and memos are not the place for more. */
const TOLD_CHARACTERS = 2_000;

/** What went wrong in an activity or a nested run, in one shape. Cancellation is not for this: it is rethrown (I9). */
export function failureFrom(error: unknown): Failure {
  const cause = causeOf(error);
  if (isCancellation(error) || isCancellation(cause)) return { type: 'cancelled', message: 'cancelled' };
  if (cause instanceof TimeoutFailure) return { type: 'worker-lost', message: timeoutMessage(cause) };
  if (cause instanceof ApplicationFailure) {
    return { type: isFailureType(cause.type) ? cause.type : 'internal', message: cut(cause.message) };
  }
  return { type: 'internal', message: cut(cause instanceof Error ? cause.message : String(cause)) };
}

/**
 * What a try spent that failed or was cancelled: its detail says so; null where it says nothing. One that was refused
 * for its price tells what its question had cost before.
 */
export function toldSpend(error: unknown): Spend | null {
  const cause = causeOf(error);
  if (needIn(error) !== null) {
    const paid = paidIn(error);
    return paid === null ? null : spendOfPaid(paid);
  }
  const [detail] =
    cause instanceof ApplicationFailure || cause instanceof CancelledFailure ? (cause.details ?? []) : [];
  if (!isSpend(detail)) return null;
  const { usd, tokens, steps } = detail; // that of a quick step has its path, too
  return { usd, tokens, steps };
}

/** What a failed step spent; nothing where its failure does not say. */
export function spendIn(error: unknown): Spend {
  return toldSpend(error) ?? NO_SPEND;
}

/**
 * What a model call says it needs that was refused because it is dearer than what it `had` reserved, less what its
 * question has cost by then; null for other failures. One that needs no more than it had would be refused again, for
 * ever: it has failed.
 */
export function shortIn(error: unknown, had: Amounts): Amounts | null {
  const need = needIn(error);
  if (need === null || quotaIn(error) !== null) return need;
  if (need.nanousd <= had.nanousd && need.tokens <= had.tokens) return null;
  const { counted, tokens } = paidIn(error) ?? { counted: 0, tokens: 0 };
  return {
    ...need,
    nanousd: Math.max(0, need.nanousd - toNanoUsd(counted)),
    tokens: Math.max(0, need.tokens - tokens),
  };
}

/** What the question of a refused call has cost that nobody was told before; null for nothing. */
export function paidIn(error: unknown): PaidBefore | null {
  if (needIn(error) === null) return null;
  const { details } = causeOf(error) as ApplicationFailure; // `needIn` knows no other
  const { paid = null } = details?.[0] as { paid?: PaidBefore }; // `attempt` puts it there
  return paid;
}

/**
 * Tells whether what had been paid for may be in the journal alone: Temporal ended the activity, between two attempts
 * or when its worker was lost.
 */
export function isUntold(error: unknown): boolean {
  return toldSpend(error) === null && (causeOf(error) instanceof CancelledFailure || isLost(error));
}

/** Tells whether an activity ended because nothing was heard of its worker any more. */
export function isLost(error: unknown): boolean {
  return causeOf(error) instanceof TimeoutFailure;
}

/** What a call says it needs that was not made for that; null for other failures. */
function needIn(error: unknown): Amounts | null {
  const cause = causeOf(error);
  if (!(cause instanceof ApplicationFailure) || !isUnasked(cause.type)) return null;
  const [detail] = cause.details ?? [];
  const { usd, tokens } = detail as { usd: number; tokens: number }; // `callModel` throws these types with nothing else
  return { ...NONE, nanousd: toNanoUsd(usd), tokens };
}

/** What a call says that was refused because the quota is used up; null for other failures. */
export function quotaIn(error: unknown): QuotaUsed | null {
  const cause = causeOf(error);
  if (!(cause instanceof ApplicationFailure) || cause.type !== 'quota-used') return null;
  const [detail] = cause.details ?? [];
  return { message: cause.message, until: (detail as { until: string }).until }; // `takeQuota` throws this type alone
}

function isSpend(detail: unknown): detail is Spend {
  return typeof detail === 'object' && detail !== null && 'tokens' in detail && 'usd' in detail;
}

function causeOf(error: unknown): unknown {
  return error instanceof ActivityFailure || error instanceof ChildWorkflowFailure ? (error.cause ?? error) : error;
}

function timeoutMessage(timeout: TimeoutFailure): string {
  return timeout.timeoutType === 'HEARTBEAT'
    ? 'The worker that ran this step was lost: no heartbeat came.'
    : `The step did not come back in time (${timeout.timeoutType}).`;
}

/** The outcome that a failed nested run carries, or null when it failed otherwise. */
export function outcomeIn(error: unknown): RunOutcome | null {
  const cause = causeOf(error);
  if (!(cause instanceof ApplicationFailure) || cause.type !== RUN_FAILED) return null;
  const [outcome] = cause.details ?? [];
  return outcome as RunOutcome; // only endRun throws this type, always with the outcome as its detail
}

/**
 * How a nested run was ended from outside that says no more; null when it ended otherwise. Whether this run did it, its
 * scopes know.
 */
export function cutOff(error: unknown): 'cancelled' | 'terminated' | null {
  const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
  return cause instanceof CancelledFailure ? 'cancelled' : cause instanceof TerminatedFailure ? 'terminated' : null;
}

/** The Temporal failure of a run that ended in `error` or `timeout` (I10). */
export function runFailure(outcome: RunOutcome): ApplicationFailure {
  return ApplicationFailure.create({
    type: RUN_FAILED,
    nonRetryable: true,
    message: outcome.error ?? outcome.status,
    details: [outcome],
  });
}

/** Errors of the interpreter itself end the run; a plain Error would retry the workflow task for ever (I10). */
export function toRunError(error: unknown): unknown {
  if (error instanceof TemporalFailure || isCancellation(error)) return error;
  if (error instanceof Error && error.name === 'ContinueAsNew') return error;
  const message = error instanceof Error ? error.message : String(error);
  return ApplicationFailure.create({
    type: 'internal',
    nonRetryable: true,
    message: `The interpreter failed: ${message}`,
    ...(error instanceof Error ? { cause: error } : {}),
  });
}

export function cut(text: string): string {
  return cutTo(text, TOLD_CHARACTERS);
}
