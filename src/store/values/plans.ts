import { canonicalJson } from '../../plan/values/json.js';
import type { Plan } from '../../plan/plan.js';
import type { Hash } from '../../plan/values/value.js';
import { sha256 } from '../hash.js';
import { createLruCache } from '../lru-cache.js';
import { StoreFailure } from '../store-failure.js';

/** Plans that a worker keeps parsed; they have at most 1 MiB each (I2). */
const CACHED_PLANS = 32;

export interface Plans {
  putPlan(plan: Plan): Promise<void>;
  getPlan(hash: Hash): Promise<Plan>;
}

/** Where Plans are kept, as canonical JSON. */
export interface PlanPlace {
  write: (hash: Hash, content: string) => Promise<unknown>;
  /** Whether it is the Plan of that name is for its reader to prove. Throws a `StoreFailure` where there is none. */
  read: (hash: Hash) => Promise<Plan>;
}

/** Plans that are kept in a place, each proved to have the hash it goes by. They never change. */
export function keepPlans({ write, read }: PlanPlace): Plans {
  const cache = createLruCache<Plan>(CACHED_PLANS);
  /** Plans that are being read: steps that start at once, fifty of them, ask for the same. */
  const reading = new Map<Hash, Promise<Plan>>();

  function readOnce(hash: Hash): Promise<Plan> {
    const known = reading.get(hash) ?? readProved(hash).finally(() => reading.delete(hash));
    reading.set(hash, known);
    return known;
  }

  async function readProved(hash: Hash): Promise<Plan> {
    const plan = checkPlan(await read(hash), hash);
    cache.set(hash, plan, 1);
    return plan;
  }

  return {
    async putPlan(plan) {
      if (cache.get(plan.hash) !== undefined) return;
      checkPlan(plan, plan.hash);
      const content = canonicalJson(plan);
      await write(plan.hash, content);
      // As other processes read it: the order of members shows in texts.
      cache.set(plan.hash, JSON.parse(content) as Plan, 1);
    },
    getPlan: async (hash) => cache.get(hash) ?? readOnce(hash),
  };
}

/** Gives the Plan back when its content has the hash it goes by. Throws a `StoreFailure`. */
export function checkPlan(plan: Plan, hash: Hash): Plan {
  const { hash: _claimed, ...content } = plan;
  const found = sha256(canonicalJson(content));
  if (found !== hash)
    throw new StoreFailure('store-missing', `The plan \`${hash}\` is corrupt: its content has the hash \`${found}\`.`);
  return plan;
}
