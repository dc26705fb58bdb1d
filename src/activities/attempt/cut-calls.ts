import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { Spend } from '../../plan/budget/spend.js';
import { NO_SPEND } from '../../plan/budget/spend.js';
import { sha256 } from '../../store/hash.js';
import type { Store } from '../../store/store.js';
import type { JournalEntry, JournalKey } from '../../store/journal/entry.js';
import type { Paid } from './account.js';
import { book } from './account.js';
import type { Question } from './call-journal.js';

/** What the calls of one question have cost that came to no whole answer, or to one that came too late. */
export interface CutCalls {
  read(): Promise<Paid>;
  /** Is in the journal when it resolves: whoever asks the question again, another worker say, counts it too. */
  add(paid: Paid): Promise<void>;
}

/** Those of one question, in the journal of its run. `reserved` US dollars count where nobody knows what one cost. */
export function cutCalls(
  store: Store,
  { call: { root, path, try: tried }, part }: Pick<Question, 'call' | 'part'>,
  reserved: number,
): CutCalls {
  const key: JournalKey = { scope: root.first, key: canonicalJson([path, tried, ...part, 'cut']) };
  return {
    read: async () => paidIn(await store.readJournal(key), reserved),
    async add(paid) {
      await store.mergeJournal(key, (before) => {
        const all = paidIn(before, reserved);
        book(all, paid);
        const { spent, counted } = all;
        const told = spent.usd === null ? { counted: counted.usd } : {};
        const response = { ...spent, ...told } as unknown as Json; // numbers and null
        return { request: sha256(canonicalJson(response)), response, at: new Date().toISOString() };
      });
    },
  };
}

/** What an entry says that `add` wrote; nothing for none. */
export function spendIn(entry: JournalEntry | null): Spend {
  const { usd, tokens } = writtenIn(entry);
  return { usd, tokens, steps: 0 };
}

function paidIn(entry: JournalEntry | null, reserved: number): Paid {
  const { counted = reserved } = writtenIn(entry);
  const spent = spendIn(entry);
  return { spent, counted: spent.usd === null ? { ...spent, usd: counted } : spent };
}

function writtenIn(entry: JournalEntry | null): Spend & { counted?: number } {
  return (entry?.response as unknown as Spend | undefined) ?? NO_SPEND; // `add` wrote it
}
