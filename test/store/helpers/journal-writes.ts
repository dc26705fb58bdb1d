import type { JournalEntry, JournalKey } from '../../../src/store/journal/entry.js';
import type { Store } from '../../../src/store/store.js';

type Before = (key: JournalKey, entry: JournalEntry, synced?: boolean) => void | Promise<void>;

/** The journal of a store, with something done before each of its writes; what that throws fails the write. */
export function beforeJournalWrites(
  store: Store,
  before: Before,
): Pick<Store, 'writeJournal' | 'beginOnce' | 'claimQuestion'> {
  return {
    async writeJournal(key, entry, synced) {
      await before(key, entry, synced);
      return store.writeJournal(key, entry, synced);
    },
    async beginOnce(key, entry, synced) {
      await before(key, entry, synced);
      return store.beginOnce(key, entry, synced);
    },
    async claimQuestion(key, request, signal) {
      const taken = await store.claimQuestion(key, request, signal);
      if ('entry' in taken) return taken;
      const { claim } = taken;
      return {
        claim: {
          ...claim,
          async answer(entry, synced) {
            await before(key, entry, synced);
            return claim.answer(entry, synced);
          },
        },
      };
    },
  };
}
