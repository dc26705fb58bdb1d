import type { Activities } from './contract.js';
import type { Dependencies } from './dependencies.js';

/** How much of some time a worker of this store was there: what a run's clock counts. */
export function createCountAlive({ store }: Dependencies): Activities['countAlive'] {
  return (intervals) => Promise.resolve(store.countAlive(intervals));
}
