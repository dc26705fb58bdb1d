import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
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
 * Tells from the journal what models and programs were paid for at a path and below, or in one call; of a program that
 * has not answered, what its session tells. Steps count that were answered: what others did leaves no trace. Null US
 * dollars are an unknown price.
 */
export function createSpentBelow({ store }: Dependencies): Activities['spentBelow'] {
  return async ({ root, ...call }) => {
    const { path, items } = call;
    const acted = new Set<string>();
    let spend: Spend = NO_SPEND;
    for await (const { question, entry } of questionsBelow(store, { scope: root.first, ...call })) {
      const spent = paidIn(entry, question.isCut);
      if (spent === null) continue;
      spend = addSpend(spend, spent);
      acted.add(question.path.replace(CALLED, ''));
    }
    return { ...spend, steps: acted.size, ...(items === undefined ? { found: path } : {}) };
  };
}

/** All that was asked at a path and below; further tries of nested runs have scopes of their own. */
async function* questionsBelow(
  store: Pick<Store, 'listJournal'>,
  { scope, path, items, part }: { scope: string } & Pick<SpentCall, 'path' | 'items' | 'part'>,
): AsyncGenerator<{ question: Question; entry: JournalEntry }> {
  const begins =
    part === undefined ? `[${JSON.stringify(path).slice(0, -1)}` : `${canonicalJson([path, ...part]).slice(0, -1)},`;
  const entries = await store.listJournal(scope, begins);
  const keys = new Set(entries.map(([key]) => key));
  for (const [key, entry] of entries) {
    const question = questionOf(scope, key);
    if (question === null || !isBelow(question.path, path, items)) continue;
    // An answer says what its session has cost.
    if (question.answeredBy !== null && keys.has(question.answeredBy)) continue;
    if (question.nested === null) yield { question, entry };
    else yield* questionsBelow(store, { scope: question.nested, path: question.path });
  }
}

interface Question {
  path: string;
  isCut: boolean;
  /** Of a session: the key of the answer that it comes to. */
  answeredBy: string | null;
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
  if (typeof path !== 'string') return null;
  const last = parts.at(-1);
  return {
    path,
    isCut: last === 'cut',
    answeredBy: last === 'session' ? canonicalJson(parts.slice(0, -1)) : null,
    nested: nestedIn(scope, parts),
  };
}

function isBelow(path: string, above: string, items?: { from: number; end: number }): boolean {
  if (path !== above && !path.startsWith(`${above}/`)) return false;
  if (items === undefined) return true;
  const item = Number(path.slice(above.length + 1).split('/')[0]);
  return item >= items.from && item < items.end;
}
