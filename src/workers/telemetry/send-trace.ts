import { canonicalJson } from '../../plan/values/json.js';
import type { RunRecord } from '../../plan/result.js';
import { sha256 } from '../../store/hash.js';
import type { JournalEntry, JournalKey } from '../../store/journal/entry.js';
import type { Store } from '../../store/store.js';
import { traceRequest } from './otlp-spans.js';
import type { Posted } from './post-otlp.js';
import { postOtlp } from './post-otlp.js';
import { readTrace } from './read-trace.js';
import type { Span } from './span.js';
import type { OtlpTarget, TelemetrySettings } from './telemetry-settings.js';

/** Spans of one request. Which ones are in which must not change: the journal counts requests. */
const PART = 128;

/** What a trace is sent with. */
export interface Sending {
  store: Store;
  settings: TelemetrySettings;
  target: OtlpTarget;
  version: string;
  signal: AbortSignal;
  log: (line: string) => void;
}

/**
 * Sends the trace of a closed run, each span at most once, whoever is killed meanwhile: before a part goes out, the
 * journal says so, and a part of which nobody knows what became of it is not sent again. Null when that is done; else
 * how long the receiver wants to be left alone, in milliseconds (null: it did not say). Throws where the store cannot
 * be read or written now.
 */
export async function sendTrace(record: RunRecord, sending: Sending): Promise<{ afterMs: number | null } | null> {
  const { store, signal } = sending;
  const key = { scope: record.journal, key: canonicalJson(['', 0, 'trace']) };
  const request = sha256(record.run);
  const taken = await store.claimQuestion(key, request, signal);
  if ('entry' in taken) return null;
  const { claim } = taken;
  try {
    const spans = await readTrace(record, store, sending.settings);
    const later = await sendParts(record, inOrder(spans), sending);
    if (later === null) await claim.answer(entryOf({ spans: spans.length }));
    else await claim.release();
    return later;
  } catch (error) {
    await claim.release();
    throw error;
  }
}

/** The same order whenever it is read. */
function inOrder(spans: Span[]): Span[] {
  return spans.sort((one, other) => (one.id < other.id ? -1 : 1));
}

async function sendParts(
  { journal, trace, run }: RunRecord,
  spans: Span[],
  sending: Sending,
): Promise<{ afterMs: number | null } | null> {
  const { store, settings, target, version, signal, log } = sending;
  for (let from = 0; from < spans.length; from += PART) {
    const key: JournalKey = { scope: journal, key: canonicalJson(['', 0, 'trace', from]) };
    const before = await store.readJournal(key);
    if (before !== null && before.response !== 'refused') continue;
    await store.writeJournal(key, entryOf('out'));
    const message = traceRequest(trace?.id ?? '', spans.slice(from, from + PART), { ...settings, version });
    const posted = await postOtlp(target, 'traces', message, signal);
    if (posted.kind === 'refused') {
      await store.writeJournal(key, entryOf('refused'));
      return { afterMs: posted.afterMs };
    }
    tell(posted, run, log);
  }
  return null;
}

function tell(posted: Exclude<Posted, { kind: 'refused' }>, run: string, log: (line: string) => void): void {
  if (posted.kind === 'taken' && posted.partly) log(`telemetry: the receiver took a part of the trace of ${run} only`);
  if (posted.kind === 'rejected') log(`telemetry: the receiver rejects the trace of ${run}: ${posted.why}`);
  if (posted.kind === 'unknown')
    log(`telemetry: nobody knows whether a part of the trace of ${run} arrived (${posted.why}); it is not sent again`);
}

function entryOf(response: JournalEntry['response']): JournalEntry {
  return { request: sha256(canonicalJson(response)), response, at: new Date().toISOString() };
}
