import { readFile } from 'node:fs/promises';
import { writeAtomically } from './files.js';
import { StoreFailure, errorCode, storeFailure } from './store-failure.js';
import type { JournalEntry } from './store.js';
import { fileOf } from './value-files.js';

export interface JournalFiles {
  readJournal(key: string): Promise<JournalEntry | null>;
  writeJournal(key: string, entry: JournalEntry): Promise<void>;
}

/** The call journal (I8): `<folder>/ab/<hex>` holds the answer to the call whose key has that hash. */
export function createJournalFiles(folder: string): JournalFiles {
  return {
    async readJournal(key) {
      const path = fileOf(folder, key);
      try {
        return JSON.parse(await readFile(path, 'utf8')) as JournalEntry; // Written whole by `writeJournal`, or not at all.
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return null;
        // To call again would pay again: a damaged entry is a failure, not a miss.
        if (error instanceof SyntaxError) throw new StoreFailure('store-missing', `The journal entry \`${path}\` is corrupt. Remove it to make the call again.`, { cause: error });
        throw storeFailure(error, 'read', path);
      }
    },
    writeJournal: (key, entry) => writeAtomically(fileOf(folder, key), JSON.stringify(entry)),
  };
}
