import { join } from 'node:path';
import { fileName } from '../files.js';
import type { Journal } from './journal.js';
import { openJournal } from './journal.js';
import { createLruCache } from '../lru-cache.js';
import type { Claim, JournalEntry, JournalKey, Taken } from './entry.js';

/**
 * Journals whose index a worker keeps in memory: of so many trees of runs steps are under way at once, or hardly more.
 */
const KEPT_JOURNALS = 256;

export interface JournalFiles {
  readJournal(key: JournalKey): Promise<JournalEntry | null>;
  claimQuestion(key: JournalKey): Promise<Taken>;
  beginOnce(key: JournalKey, entry: JournalEntry, synced?: boolean): Promise<boolean>;
  mergeJournal(key: JournalKey, merge: (before: JournalEntry | null) => JournalEntry): Promise<void>;
  listAskedAgain(scope: string): Promise<{ key: string; lost: number }[]>;
  listJournal(scope: string, begins?: string): Promise<[key: string, entry: JournalEntry][]>;
  prepareJournal(scope: string): void;
  writeJournal(key: JournalKey, entry: JournalEntry, synced?: boolean): Promise<void>;
}

/**
 * The journal of answers (I8): `<folder>/<scope>.ndjson` holds those of one tree of runs, in the order in which they
 * came.
 */
export function createJournalFiles(folder: string): JournalFiles {
  const journals = createLruCache<Journal>(KEPT_JOURNALS);

  function journalOf(scope: string): Journal {
    const kept = journals.get(scope);
    if (kept !== undefined) return kept;
    const journal = openJournal(join(folder, `${fileName(scope)}.ndjson`));
    journals.set(scope, journal, 1);
    return journal;
  }

  /** One host has the folder (decision 7): whoever asks is the only one who does. */
  const claimOf = ({ scope, key }: JournalKey): Claim => ({
    lost: 0,
    signal: null,
    answer: async (entry, synced) => {
      await journalOf(scope).append(key, entry, synced);
      return true;
    },
    release: async () => undefined,
  });

  return {
    async claimQuestion(key) {
      const entry = journalOf(key.scope).read(key.key);
      return entry === null ? { claim: claimOf(key) } : { entry };
    },
    beginOnce: ({ scope, key }, entry, synced) =>
      journalOf(scope).merge(key, (before) => (before === null ? entry : null), synced),
    async mergeJournal({ scope, key }, merge) {
      await journalOf(scope).merge(key, merge);
    },
    readJournal: async ({ scope, key }) => journalOf(scope).read(key),
    // Who owned a question is known where several may ask.
    listAskedAgain: async () => [],
    listJournal: async (scope, begins) => journalOf(scope).list(begins),
    prepareJournal: (scope) => journalOf(scope).prepare(),
    writeJournal: ({ scope, key }, entry, synced) => journalOf(scope).append(key, entry, synced),
  };
}
