import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import { sha256 } from '../../store/hash.js';
import type { JournalKey, Traced } from '../../store/journal/entry.js';
import type { Store } from '../../store/store.js';
import type { StepCall } from '../contract.js';

/** What a question is about, for the trace of its run. */
export interface About extends Pick<Traced, 'what' | 'name' | 'provider' | 'call_id'> {
  /** What an answer has cost, in US dollars; null where nobody knows. */
  usd?: (response: Json) => number | null;
}

/** A question that is under way. */
interface Asked {
  key: JournalKey;
  call: Pick<StepCall, 'trace'>;
  about: About | undefined;
  /** ISO 8601, UTC. */
  since: string;
}

/** What the journal keeps for the trace; nothing where the run is not traced. */
export function tracedOf({ call, about, since }: Asked, response: Json): { traced?: Traced } {
  if (call.trace === undefined || about === undefined) return {};
  const { usd, ...rest } = about;
  return { traced: { since, ...rest, ...(usd === undefined ? {} : { usd: usd(response) }) } };
}

/**
 * Notes for the trace that a question came to nothing, beside its key: it may be asked again. What is thrown is thrown
 * on; that it could not be noted changes nothing.
 */
export async function noteFailure<T>(store: Store, asked: Asked, asking: Promise<T>): Promise<T> {
  if (asked.call.trace === undefined || asked.about === undefined) return asking;
  try {
    return await asking;
  } catch (error) {
    const { since, about, key } = asked;
    const { usd: _usd, ...rest } = about ?? { what: 'tool', name: '' };
    const traced: Traced = { since, ...rest, failure: failureType(error) };
    const failed = { scope: key.scope, key: canonicalJson([...(JSON.parse(key.key) as Json[]), 'failed', since]) };
    const entry = { request: sha256(since), response: null, at: new Date().toISOString(), traced };
    await store.writeJournal(failed, entry).catch(() => undefined);
    throw error;
  }
}

function failureType(error: unknown): string {
  if (error instanceof CancelledFailure) return 'cancelled';
  return error instanceof ApplicationFailure ? (error.type ?? 'internal') : 'interrupted';
}
