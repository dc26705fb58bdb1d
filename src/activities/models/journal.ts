import type { Json } from '../../plan/json.js';
import { canonicalJson } from '../../plan/json.js';
import { sha256 } from '../../store/hash.js';
import type { JournalEntry, Store } from '../../store/store.js';
import type { ModelCall } from '../contract.js';
import { stepFailure } from '../failures.js';
import type { ModelAnswer, ModelRequest } from './provider.js';

/** The conversations of this issue have one turn; agents with tools will have more. */
const TURN = 0;

export interface JournalledCall {
  store: Store;
  call: ModelCall;
  /** How often this try has asked again before. */
  again: number;
  request: ModelRequest;
}

/**
 * Makes a call, unless its answer is in the journal already: then that is the answer, and nothing is paid (I8). The
 * answer is on disk before this returns. Throws `journal-mismatch` when another request was answered under this key.
 */
export async function journalled({ store, call, again, request }: JournalledCall, ask: () => Promise<ModelAnswer>): Promise<ModelAnswer> {
  const key = sha256(canonicalJson([call.root.first, call.path, call.try, TURN, again]));
  const hash = sha256(canonicalJson({ provider: call.model.provider, ...request }));
  const entry = await store.readJournal(key);
  if (entry !== null) return answerIn(entry, hash, call.path);
  const answer = await ask();
  await store.writeJournal(key, { request: hash, response: answer as unknown as Json, at: new Date().toISOString() }); // ModelAnswer is JSON-safe.
  return answer;
}

function answerIn(entry: JournalEntry, hash: string, path: string): ModelAnswer {
  if (entry.request !== hash) {
    throw stepFailure('journal-mismatch', `Step \`${path}\` asked something else before (${entry.request}) than now (${hash}); the answer to that is no answer to this. The agent or a value has changed under a running run.`);
  }
  return entry.response as unknown as ModelAnswer; // Only `journalled` writes entries.
}
