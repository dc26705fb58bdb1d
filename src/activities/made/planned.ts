import type { Hash } from '../../plan/values/value.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { Json } from '../../plan/values/json.js';
import { sha256 } from '../../store/hash.js';
import type { Store } from '../../store/store.js';

/** A workflow that a `plan` step compiled, and showed at its gate. */
export interface PlannedEntry {
  name: string;
  /** Its Plan: a nested run of it exists exactly where the gate was approved. */
  plan: Hash;
  /** The text that the gate showed, word for word. */
  text: Hash;
  /** Whether the run may start it where nobody is asked. */
  unasked: boolean;
}

/** Remembers what a `plan` step shows: the same once, however often it is prepared. */
export async function keepPlanned(store: Store, scope: string, entry: PlannedEntry): Promise<void> {
  const response: Json = { ...entry };
  const request = sha256(canonicalJson(response));
  const key = { scope, key: canonicalJson(['planned', request]) };
  if ((await store.readJournal(key)) === null)
    await store.writeJournal(key, { request, response, at: new Date().toISOString() });
}

/** All that `plan` steps of a tree have shown, approved or not. */
export async function plannedInTree(store: Pick<Store, 'listJournal'>, scope: string): Promise<PlannedEntry[]> {
  const entries = await store.listJournal(scope);
  return entries
    .filter(([key]) => key.startsWith('["planned",'))
    .map(([, { response }]) => response as unknown as PlannedEntry); // `keepPlanned` wrote it
}
