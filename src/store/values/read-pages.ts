import type { Value } from '../../plan/values/value.js';
import type { Store } from '../store.js';
import { loadValue } from '../transcript.js';

/** All that pages of results hold, in their order. Throws what the store throws when one is missing. */
export async function readPages<T>(store: Pick<Store, 'get'>, pages: Value[]): Promise<T[]> {
  const lists: T[] = [];
  // written by the interpreter, verified by its hash
  for (const page of pages) lists.push(...((await loadValue(page, store)) as unknown as T[]));
  return lists;
}
