import { join } from 'node:path';
import { fileName } from '../files.js';
import type { Journal } from './journal.js';
import { openJournal } from './journal.js';
import { createLruCache } from '../lru-cache.js';
import type { JournalEntry, JournalKey } from './entry.js';

/**
 * Journals whose index a worker keeps in memory: of so many trees of runs steps are under way at once, or hardly more.
 */
const KEPT_JOURNALS = 256;

export interface JournalFiles {
  readJournal(key: JournalKey): Promise<JournalEntry | null>;
  listJournal(scope: string): Promise<[key: string, entry: JournalEntry][]>;
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

  return {
    readJournal: async ({ scope, key }) => journalOf(scope).read(key),
    listJournal: async (scope) => journalOf(scope).list(),
    prepareJournal: (scope) => journalOf(scope).prepare(),
    writeJournal: ({ scope, key }, entry, synced) => journalOf(scope).append(key, entry, synced),
  };
}
