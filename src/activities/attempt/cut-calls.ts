import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { Spend } from '../../plan/budget/spend.js';
import { addSpend, NO_SPEND } from '../../plan/budget/spend.js';
import { sha256 } from '../../store/hash.js';
import type { Store } from '../../store/store.js';
import type { JournalEntry, JournalKey } from '../../store/journal/entry.js';
import type { Question } from './call-journal.js';

/** What the calls of one question have cost that came to no whole answer, or to one that came too late. */
export interface CutCalls {
  read(): Promise<Spend>;
  /** Is in the journal when it resolves: whoever asks the question again, another worker say, counts it too. */
  add(spent: Spend): Promise<void>;
}

/** Those of one question, in the journal of its run. */
export function cutCalls(
  store: Store,
  { call: { root, path, try: tried }, part }: Pick<Question, 'call' | 'part'>,
): CutCalls {
  const key: JournalKey = { scope: root.first, key: canonicalJson([path, tried, ...part, 'cut']) };
  return {
    read: async () => spendIn(await store.readJournal(key)),
    async add(spent) {
      await store.mergeJournal(key, (before) => {
        const response = addSpend(spendIn(before), spent) as unknown as Json; // numbers and null
        return { request: sha256(canonicalJson(response)), response, at: new Date().toISOString() };
      });
    },
  };
}

/** What an entry says that `add` wrote; nothing for none. */
export function spendIn(entry: JournalEntry | null): Spend {
  return (entry?.response as unknown as Spend | undefined) ?? NO_SPEND; // `add` wrote it
}
