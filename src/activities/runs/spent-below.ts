import type { Json } from '../../plan/values/json.js';
import type { Spend } from '../../plan/budget/spend.js';
import { addSpend, NO_SPEND } from '../../plan/budget/spend.js';
import type { JournalEntry } from '../../store/journal/entry.js';
import type { Store } from '../../store/store.js';
import type { Activities, SpentCall } from '../contract.js';
import { spendIn } from '../attempt/cut-calls.js';
import { nestedIn } from '../attempt/nested-scopes.js';
import type { Dependencies } from '../dependencies.js';

/** How a called agent's conversation stands in the path of a step: turn and call. */
const CALLED = /(?:\/\d+\.\d+)+$/;

/**
 * Tells from the journal what models and programs were paid for at a path and below. Steps count that were answered:
 * what others did leaves no trace. Null US dollars are an unknown price.
 */
export function createSpentBelow({ store }: Dependencies): Activities['spentBelow'] {
  return async ({ root, path, items }) => {
    const acted = new Set<string>();
    let spend: Spend = NO_SPEND;
    for await (const { question, entry } of questionsBelow(store, { scope: root.first, path, items })) {
      const spent = paidIn(entry, question.isCut);
      if (spent === null) continue;
      spend = addSpend(spend, spent);
      acted.add(question.path.replace(CALLED, ''));
    }
    return { ...spend, steps: acted.size };
  };
}

/** All that was asked at a path and below; further tries of nested runs have scopes of their own. */
async function* questionsBelow(
  store: Pick<Store, 'listJournal'>,
  { scope, path, items }: { scope: string; path: string; items?: SpentCall['items'] },
): AsyncGenerator<{ question: Question; entry: JournalEntry }> {
  for (const [key, entry] of await store.listJournal(scope, `[${JSON.stringify(path).slice(0, -1)}`)) {
    const question = questionOf(scope, key);
    if (question === null || !isBelow(question.path, path, items)) continue;
    if (question.nested === null) yield { question, entry };
    else yield* questionsBelow(store, { scope: question.nested, path: question.path });
  }
}

interface Question {
  path: string;
  isCut: boolean;
  /** The scope that it only notes. */
  nested: string | null;
}

function paidIn(entry: JournalEntry, isCut: boolean): Spend | null {
  return isCut ? spendIn(entry) : (entry.spent ?? null);
}

/** Keys are canonical JSON of lists: a path, a try, and what tells the questions of a try apart. */
function questionOf(scope: string, key: string): Question | null {
  const parts = JSON.parse(key) as Json;
  if (!Array.isArray(parts)) return null;
  const [path] = parts;
  return typeof path === 'string' ? { path, isCut: parts.at(-1) === 'cut', nested: nestedIn(scope, parts) } : null;
}

function isBelow(path: string, above: string, items?: { from: number; end: number }): boolean {
  if (path !== above && !path.startsWith(`${above}/`)) return false;
  if (items === undefined) return true;
  const item = Number(path.slice(above.length + 1).split('/')[0]);
  return item >= items.from && item < items.end;
}
