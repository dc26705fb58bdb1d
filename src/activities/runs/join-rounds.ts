import type { Json } from '../../plan/values/json.js';
import type { RoundResult } from '../../plan/result.js';
import type { Spend } from '../../plan/budget/spend.js';
import { addSpend, NO_SPEND } from '../../plan/budget/spend.js';
import type { Value } from '../../plan/values/value.js';
import { loadValue } from '../../store/transcript.js';
import type { Store } from '../../store/store.js';
import type { Activities } from '../contract.js';
import type { Dependencies } from '../dependencies.js';

/** Closes the books of a foreach or a loop. Reads every output once, so the workflow never holds them (I6). */
export function createJoinRounds({ store }: Dependencies): Activities['joinRounds'] {
  return async ({ pages, results, outputs, batches = [] }) => {
    // RoundResults are plain JSON
    const all = results.length === 0 ? [...pages] : [...pages, await store.putAlways(results as unknown as Json)];
    let spend: Spend = NO_SPEND;
    for (const batch of batches) {
      const record = await store.readRun(batch);
      all.push(...(record?.pages ?? []));
      spend = addSpend(spend, record?.spend ?? NO_SPEND);
    }
    if (!outputs) return { output: null, pages: all, ...(batches.length === 0 ? {} : { spend }) };
    const rounds: RoundResult[] = [...results];
    for (const page of pages) rounds.push(...(await pageOf(store, page)));
    rounds.sort((a, b) => a.index - b.index);
    const list: Json[] = [];
    for (const { output } of rounds) list.push(await loadValue(output, store));
    return { output: await store.put(list), pages: all };
  };
}

async function pageOf(store: Store, page: Value): Promise<RoundResult[]> {
  return (await loadValue(page, store)) as unknown as RoundResult[]; // a page of rounds holds nothing else
}
