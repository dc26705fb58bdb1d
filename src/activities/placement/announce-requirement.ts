import type { Activities } from '../contract.js';
import type { Dependencies } from '../dependencies.js';

/** Notes what a step requires of its worker, where all workers of the store look. */
export function createAnnounceRequirement({ store, self }: Dependencies): Activities['announceRequirement'] {
  return async (requires) => {
    await store.requireWorkers(requires);
    await self?.untilTaken(requires);
  };
}
