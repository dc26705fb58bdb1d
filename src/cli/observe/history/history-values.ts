import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { RUN_FAILED } from '../../../plan/outcomes/step-ends.js';
import type { Failure } from '../../../plan/failure.js';
import { isFailureType, isUnasked } from '../../../plan/failure.js';
import type { RunOutcome } from '../../../plan/result.js';
import type { Spend } from '../../../plan/budget/spend.js';
import { NO_SPEND } from '../../../plan/budget/spend.js';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
/** One event of Temporal's history, as the server sends it. */
export type HistoryEvent = NonNullable<History['events']>[number];
export type Payloads = { payloads?: Parameters<typeof defaultPayloadConverter.fromPayload>[0][] | null };

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

export interface ProtoFailure {
  message?: string | null;
  cause?: ProtoFailure | null;
  applicationFailureInfo?: { type?: string | null; details?: Payloads | null } | null;
  timeoutFailureInfo?: { timeoutType?: number | null } | null;
  canceledFailureInfo?: { details?: Payloads | null } | null;
}

/** The outcome that a run's failure carries, at whatever depth; null when it ended otherwise. */
export function outcomeIn(failure: ProtoFailure | null | undefined): RunOutcome | null {
  if (!failure) return null;
  const info = failure.applicationFailureInfo;
  return info?.type === RUN_FAILED ? decode<RunOutcome>(info.details) : outcomeIn(failure.cause);
}

/**
 * What a failed try spent: the activity says so in its failure's detail. One that was refused for its price says there
 * what it needs, and beside that what its question had cost.
 */
export function spendIn(failure: ProtoFailure | null | undefined): Spend {
  const { type, details } = failure?.applicationFailureInfo ?? {};
  const told = decode<Partial<Spend> & { paid?: Partial<Spend> }>(details ?? failure?.canceledFailureInfo?.details);
  return spendOf(isUnasked(type) ? (told?.paid ?? null) : told);
}

export function spendOf(told: Partial<Spend> | null): Spend {
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
