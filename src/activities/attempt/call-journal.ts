import type { Spend } from '../../plan/budget/spend.js';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson, utf8Bytes } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';
import { isPassing } from '../../store/store-failure.js';
import type { Store } from '../../store/store.js';
import type { Claim, JournalEntry, JournalKey, Taken } from '../../store/journal/entry.js';
import type { StepCall } from '../contract.js';
import { stepFailure } from '../failures.js';
import { noteNested } from './nested-scopes.js';
import type { About } from './traced-call.js';
import { noteFailure, tracedOf } from './traced-call.js';
import { filesKept } from './kept-files.js';
import type { ModelMessage } from '../models/protocol/message.js';

/** One thing that a try of a step asks for, and that must not be asked for twice (I8). */
export interface Question {
  call: StepCall;
  /** Tells the questions of one try apart. */
  part: (string | number)[];
  /** What is asked, with every value in its place. */
  request: Json;
  /** What of it people read, of a question to a model. */
  asked?: AskedText;
  /** What a trace tells of it; absent for what is in none. */
  about?: About;
}

/** What is done beside asking. */
interface Asked {
  /** Ends a wait for the answer of another worker, which asks the same. */
  signal?: AbortSignal;
  /** What an answer has cost, where it is paid for. */
  cost?: (response: Json) => Spend;
  /** Takes an answer that came after another worker had taken the question over: it is paid, and is no answer. */
  late?: (response: Json) => Promise<void>;
}

/**
 * What a model was asked, as the journal keeps it: an instruction and messages, or the hash of a transcript's last
 * message.
 */
export type AskedText = { system: string; messages: ModelMessage[] } | { transcript: Hash };

/** A question of more bytes of JSON is a stored value: journals are read as a whole. */
const ASKED_BYTES = 16 * 1024;

/**
 * Gives the answer that the journal has, else asks and journals what came: it is on disk before this returns. What
 * `ask` throws is not journalled. Of all workers of the store one asks at a time; `ask` gets its claim, and ends when
 * the claim's signal says that another has it. Throws `journal-mismatch` when another request was answered under the
 * same key.
 */
export async function askOnce(
  store: Store,
  { call, part, request, asked, about }: Question,
  ask: (claim: Claim) => Promise<Json>,
  { signal, cost, late }: Asked = {},
): Promise<Json> {
  const key: JournalKey = { scope: call.root.first, key: canonicalJson([call.path, call.try, ...part]) };
  const hash = sha256(canonicalJson(request));
  for (;;) {
    const taken = await takeQuestion(store, key, hash, { ...call, signal });
    if ('entry' in taken) return responseOf(taken.entry, hash, call);
    store.prepareJournal(call.root.first);
    const keeping = keepAsked(store, asked);
    const question = { key, call, about, since: new Date().toISOString() };
    const response = await noteFailure(store, question, held(taken.claim, ask));
    const entry = {
      request: hash,
      response,
      ...(cost === undefined ? {} : { spent: cost(response) }),
      at: new Date().toISOString(),
      ...tracedOf(question, response),
      ...(await keeping),
    };
    const tellLate = (): Promise<void> => late?.(response) ?? Promise.resolve();
    if (await writeAnswer(store, key, { entry, claim: taken.claim, tellLate }, call)) return response;
    await tellLate();
  }
}

function responseOf({ request, response }: JournalEntry, hash: Hash, { path }: StepCall): Json {
  if (request === hash) return response;
  throw stepFailure(
    'journal-mismatch',
    `Step \`${path}\` asked something else before (${request}) than now (${hash}); the answer to that is no answer ` +
      `to this. The agent or a value has changed under a running run.`,
  );
}

/** What comes to nothing is given back; throws a `ClaimLostError` where that is because another has the question. */
export async function held<T>(claim: Claim, ask: (claim: Claim) => Promise<T>): Promise<T> {
  try {
    return await ask(claim);
  } catch (error) {
    await claim.release();
    throw claim.signal?.aborted === true ? claim.signal.reason : error;
  }
}

/** Aborts with a signal, and once another worker has taken the question over. */
export function whileHeld(signal: AbortSignal, { signal: lost }: Claim): AbortSignal {
  return lost === null ? signal : AbortSignal.any([signal, lost]);
}

/** An answer that came, and the claim under which it was asked for. */
interface Answered {
  entry: JournalEntry;
  claim: Claim;
  /** Says what it has cost, where it is no answer any more. */
  tellLate?: () => Promise<void>;
}

/** Nothing where it cannot be kept: a question that nobody can look at later is answered all the same. */
async function keepAsked(store: Store, asked: AskedText | undefined): Promise<Pick<JournalEntry, 'asked'>> {
  if (asked === undefined) return {};
  const value = asked as unknown as Json; // messages are JSON-safe
  if (utf8Bytes(JSON.stringify(value)) <= ASKED_BYTES) return { asked: { value } };
  return store.putAlways(value).then(
    (stored) => ({ asked: stored }),
    () => ({}),
  );
}

/**
 * Answers that the store had no room for, as long as this worker lives: Temporal starts the same activity again, which
 * writes them.
 */
const unwritten = new Map<string, Answered>();

/** What the journal has, or would have had there been room; it has it then. Else the right to ask. */
export async function takeQuestion(
  store: Store,
  key: JournalKey,
  request: Hash,
  { signal, ...call }: { signal?: AbortSignal | undefined } & Pick<StepCall, 'synced'>,
): Promise<Taken> {
  const kept = unwritten.get(nameOf(store, key));
  // Before anything is claimed: this worker has the question still.
  if (kept !== undefined && (await writeAnswer(store, key, kept, call))) return { entry: kept.entry };
  await noteNested(store, key.scope);
  return store.claimQuestion(key, request, signal);
}

/**
 * Journals what came; where there is no room it is kept, so that nothing is paid or done again (I8). False where
 * another worker has taken the question over.
 */
export async function writeAnswer(
  store: Store,
  key: JournalKey,
  answered: Answered,
  { synced }: Pick<StepCall, 'synced'>,
): Promise<boolean> {
  try {
    await filesKept();
    const isWritten = await answered.claim.answer(answered.entry, synced);
    unwritten.delete(nameOf(store, key));
    return isWritten;
  } catch (error) {
    if (isPassing(error)) keep(nameOf(store, key), answered);
    throw error;
  }
}

/** Keeps an answer until it is written, or another worker has taken its question over: then it is paid, and no more. */
function keep(name: string, answered: Answered): void {
  if (unwritten.get(name) === answered) return;
  unwritten.set(name, answered);
  const { signal } = answered.claim;
  const letGo = (): void => {
    if (unwritten.get(name) === answered) unwritten.delete(name);
    void tellSometime(answered);
  };
  if (signal?.aborted === true) letGo();
  else signal?.addEventListener('abort', letGo, { once: true });
}

/** How soon what a late answer has cost is said again, where the store did not take it. */
const AGAIN_MS = 1_000;

/** Nobody waits for it: the activity that asked has ended. */
async function tellSometime(answered: Answered): Promise<void> {
  try {
    await answered.tellLate?.();
  } catch (error) {
    if (isPassing(error)) setTimeout(() => void tellSometime(answered), AGAIN_MS).unref();
  }
}

function nameOf({ id }: Store, { scope, key }: JournalKey): string {
  return JSON.stringify([id, scope, key]);
}

/** What had begun in this worker and came to nothing: the store had no room for it. */
const undone = new Set<string>();

/** Says of what had begun that it was not done: it may begin again, as long as this worker lives. */
export function unbegin(store: Store, key: JournalKey): void {
  undone.add(nameOf(store, key));
}

/**
 * Journals that something begins, before its effect; false where it had begun before, and nobody knows what came of it.
 */
export async function begin(
  store: Store,
  key: JournalKey,
  request: Hash,
  { synced }: Pick<StepCall, 'synced'>,
): Promise<boolean> {
  if (undone.delete(nameOf(store, key))) return true;
  return store.beginOnce(key, { request, response: null, at: new Date().toISOString() }, synced);
}
