import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';
import { StoreFailure } from '../../store/store-failure.js';
import type { Store } from '../../store/store.js';
import type { JournalEntry, JournalKey } from '../../store/journal/entry.js';
import type { StepCall } from '../contract.js';
import { stepFailure } from '../failures.js';

/** One thing that a try of a step asks for, and that must not be asked for twice (I8). */
export interface Question {
  call: StepCall;
  /** Tells the questions of one try apart. */
  part: (string | number)[];
  /** What is asked, with every value in its place. */
  request: Json;
}

/**
 * Gives the answer that the journal has, else asks and journals what came: it is on disk before this returns. What
 * `ask` throws is not journalled. Throws `journal-mismatch` when another request was answered under the same key.
 */
export async function askOnce(
  store: Store,
  { call, part, request }: Question,
  ask: () => Promise<Json>,
): Promise<Json> {
  const key: JournalKey = { scope: call.root.first, key: canonicalJson([call.path, call.try, ...part]) };
  const hash = sha256(canonicalJson(request));
  const entry = await readAnswer(store, key);
  if (entry !== null) {
    if (entry.request === hash) return entry.response;
    throw stepFailure(
      'journal-mismatch',
      `Step \`${call.path}\` asked something else before (${entry.request}) than now (${hash}); the answer to ` +
        `that is no answer to this. The agent or a value has changed under a running run.`,
    );
  }
  store.prepareJournal(call.root.first);
  const response = await ask();
  await writeAnswer(store, key, { request: hash, response, at: new Date().toISOString() }, call);
  return response;
}

/**
 * Answers that the disk had no room for, as long as this worker lives: Temporal starts the same activity again, which
 * writes them.
 */
const unwritten = new Map<string, JournalEntry>();

/** What the journal has, or would have had there been room; it has it then. */
export async function readAnswer(store: Store, key: JournalKey): Promise<JournalEntry | null> {
  const entry = await store.readJournal(key);
  if (entry !== null) return entry;
  const kept = unwritten.get(nameOf(store, key)) ?? null;
  if (kept !== null) await writeAnswer(store, key, kept, {});
  return kept;
}

/** Journals what came; where there is no room it is kept, so that nothing is paid or done again (I8). */
export async function writeAnswer(
  store: Store,
  key: JournalKey,
  entry: JournalEntry,
  { synced }: Pick<StepCall, 'synced'>,
): Promise<void> {
  try {
    await store.writeJournal(key, entry, synced);
    unwritten.delete(nameOf(store, key));
  } catch (error) {
    if (error instanceof StoreFailure && error.passes) unwritten.set(nameOf(store, key), entry);
    throw error;
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
  if ((await store.readJournal(key)) !== null) return false;
  await store.writeJournal(key, { request, response: null, at: new Date().toISOString() }, synced);
  return true;
}
