import type { Activities } from '../contract.js';
import type { Dependencies } from '../dependencies.js';

/** Notes what a step requires of its worker, where all workers of the store look. */
export function createAnnounceRequirement({ store }: Dependencies): Activities['announceRequirement'] {
  return (requires) => store.requireWorkers(requires);
}
