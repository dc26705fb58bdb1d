import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';
import type { Store } from '../../store/store.js';

/**
 * The run that something is made in: the root's first run id, and the body whose agents make it. A nested workflow's is
 * its own.
 */
export interface MadeScope {
  first: string;
  body: Hash;
}

/** Something that an agent has made in a run. */
export interface MadeEntry {
  kind: 'agent' | 'tool' | 'workflow';
  name: string;
  /** Where it is stored. */
  ref: Hash;
  /** The call that made it: when that comes again, nothing is made twice. */
  call: string;
  /** Its text, word for word as it was allowed: what the call was to make was judged again as it was made. */
  text: Hash;
  /** A person was shown it; else the permissions allow such. */
  shown?: true;
}

/** What was made in all runs of a tree, nested ones too, in the order of the journal. */
export async function madeInTree(store: Pick<Store, 'listJournal'>, first: string): Promise<MadeEntry[]> {
  const entries = await store.listJournal(first);
  return entries
    .filter(([key]) => key.startsWith('["made",'))
    .map(([, { response }]) => response as unknown as MadeEntry); // `addMade` wrote it
}

/** More is an agent that has lost its way. */
export const MOST_MADE = 100;

/** All that was made in a run so far, in order: read from the journal, so that no crash forgets it. */
export async function readMade(store: Store, scope: MadeScope): Promise<MadeEntry[]> {
  const entries: MadeEntry[] = [];
  for (;;) {
    const entry = await store.readJournal(keyAt(scope, entries.length));
    if (entry === null) return entries;
    entries.push(entry.response as unknown as MadeEntry); // `addMade` wrote it
  }
}

/** Remembers one more; the caller holds `inTurn`. */
export async function addMade(store: Store, scope: MadeScope, entry: MadeEntry): Promise<void> {
  const made = await readMade(store, scope);
  const response: Json = { ...entry };
  await store.writeJournal(keyAt(scope, made.length), {
    request: sha256(canonicalJson(response)),
    response,
    at: new Date().toISOString(),
  });
}

const lines = new Map<string, Promise<unknown>>();

/**
 * Runs what makes something after all that did so before it in the same run: of two that want one name, one gets it.
 */
export async function inTurn<T>({ first, body }: MadeScope, make: () => Promise<T>): Promise<T> {
  const line = `${first} ${body}`;
  const before = lines.get(line) ?? Promise.resolve();
  const own = before.then(make, make);
  lines.set(line, own);
  try {
    return await own;
  } finally {
    if (lines.get(line) === own) lines.delete(line);
  }
}

function keyAt({ first, body }: MadeScope, index: number): { scope: string; key: string } {
  return { scope: first, key: canonicalJson(['made', body, index]) };
}

/** Where the next runs look up which run made an agent that they do not know. */
export const ORIGINS = 'made-agents';

/** Which run made an agent last that had this name, and its file. */
export interface Origin {
  run: string;
  file: string;
}

/** Notes which run made a definition, and in which file. */
export async function writeOrigin(store: Store, name: string, { run, file }: Origin): Promise<void> {
  const response: Json = { run, file };
  await store.writeJournal(
    { scope: ORIGINS, key: name.toLowerCase() },
    { request: sha256(canonicalJson(response)), response, at: new Date().toISOString() },
  );
}

/** Tells which run made a definition; null for a name that no run has made. */
export async function readOrigin(store: Store, name: string): Promise<Origin | null> {
  const entry = await store.readJournal({ scope: ORIGINS, key: name.toLowerCase() });
  return entry === null ? null : (entry.response as unknown as Origin); // `writeOrigin` wrote it
}
