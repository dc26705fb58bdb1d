import type { Json } from '../plan/json.js';
import type { Value } from '../plan/value.js';
import type { Activities } from './contract.js';
import type { Dependencies } from './dependencies.js';

/** Results on one page (I12). */
const PAGE = 500;

/** Keeps what `show` needs when the run's history is gone (decision 7). Repeating it changes nothing. */
export function createCloseRun({ store }: Dependencies): Activities['closeRun'] {
  return async (record, results) => {
    const pages: Value[] = [...record.pages];
    for (let from = 0; from < results.length; from += PAGE) {
      pages.push(await store.putAlways(results.slice(from, from + PAGE) as unknown as Json)); // StepResult is JSON-safe, but an interface has no index signature.
    }
    await store.writeRun({ ...record, pages });
    return pages;
  };
}
