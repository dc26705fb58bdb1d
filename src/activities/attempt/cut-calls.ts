import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { Spend } from '../../plan/budget/spend.js';
import { addSpend, NO_SPEND } from '../../plan/budget/spend.js';
import { sha256 } from '../../store/hash.js';
import type { Store } from '../../store/store.js';
import type { JournalKey } from '../../store/journal/entry.js';
import type { Question } from './call-journal.js';

/** What the calls of one question have cost that came to no whole answer. */
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
  const read = async (): Promise<Spend> =>
    ((await store.readJournal(key))?.response as unknown as Spend | undefined) ?? NO_SPEND; // `add` wrote it
  return {
    read,
    async add(spent) {
      const response = addSpend(await read(), spent) as unknown as Json; // numbers and null
      await store.writeJournal(key, {
        request: sha256(canonicalJson(response)),
        response,
        at: new Date().toISOString(),
      });
    },
  };
}
