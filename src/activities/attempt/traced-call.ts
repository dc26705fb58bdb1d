import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import { sha256 } from '../../store/hash.js';
import type { JournalKey, Traced } from '../../store/journal/entry.js';
import type { Store } from '../../store/store.js';
import type { StepCall } from '../contract.js';
import { measure } from './measure.js';

/** What a question is about, for the trace of its run. */
export interface About extends Pick<Traced, 'what' | 'name' | 'provider' | 'call_id'> {
  /** What an answer has cost, in US dollars; null where nobody knows. */
  usd?: (response: Json) => number | null;
  /** Tokens that were read, cached or not, and written. */
  tokens?: (response: Json) => { input: number; output: number };
}

/** A question that is under way. */
interface Asked {
  key: JournalKey;
  call: Pick<StepCall, 'trace'>;
  about: About | undefined;
  /** ISO 8601, UTC. */
  since: string;
}

/** Counts a call that was answered; what the journal keeps of it for the trace, where the run is traced. */
export function tracedOf({ call, about, since }: Asked, response: Json): { traced?: Traced } {
  if (about === undefined) return {};
  const { usd, tokens, ...rest } = about;
  measure((measures) =>
    measures.called(rest, {
      seconds: secondsSince(since),
      failure: null,
      ...(usd === undefined ? {} : { usd: usd(response) }),
      ...(tokens === undefined ? {} : { tokens: tokens(response) }),
    }),
  );
  if (call.trace === undefined) return {};
  return { traced: { since, ...rest, ...(usd === undefined ? {} : { usd: usd(response) }) } };
}

/**
 * Counts a question that came to nothing, and notes it for the trace, beside its key: it may be asked again. What is
 * thrown is thrown on; that it could not be noted changes nothing.
 */
export async function noteFailure<T>(store: Store, asked: Asked, asking: Promise<T>): Promise<T> {
  const { since, about, key } = asked;
  if (about === undefined) return asking;
  try {
    return await asking;
  } catch (error) {
    const { usd: _usd, tokens: _tokens, ...rest } = about;
    const failure = failureType(error);
    measure((measures) => measures.called(rest, { seconds: secondsSince(since), failure }));
    if (asked.call.trace === undefined) throw error;
    const traced: Traced = { since, ...rest, failure };
    const failed = { scope: key.scope, key: canonicalJson([...(JSON.parse(key.key) as Json[]), 'failed', since]) };
    const entry = { request: sha256(since), response: null, at: new Date().toISOString(), traced };
    await store.writeJournal(failed, entry).catch(() => undefined);
    throw error;
  }
}

function secondsSince(since: string): number {
  return (Date.now() - Date.parse(since)) / 1000;
}

/** The type of a failure in one word. */
export function failureType(error: unknown): string {
  if (error instanceof CancelledFailure) return 'cancelled';
  return error instanceof ApplicationFailure ? (error.type ?? 'internal') : 'interrupted';
}
