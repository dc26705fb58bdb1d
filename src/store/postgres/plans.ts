import { canonicalJson } from '../../plan/values/json.js';
import type { Plan } from '../../plan/plan.js';
import type { Hash } from '../../plan/values/value.js';
import { createLruCache } from '../lru-cache.js';
import { StoreFailure } from '../store-failure.js';
import type { PlanFiles } from '../values/plan-files.js';
import { checkPlan } from '../values/plan-files.js';
import type { Database } from './database.js';

/** Plans that a worker keeps parsed; they have at most 1 MiB each (I2). */
const CACHED_PLANS = 32;

/** Plans by hash, as rows; what is read is proved to have the hash it goes by. They never change. */
export function createPlans(database: Database): PlanFiles {
  const cache = createLruCache<Plan>(CACHED_PLANS);
  /** Steps that start at once, fifty of them, ask for the same. */
  const reading = new Map<Hash, Promise<Plan>>();

  async function read(hash: Hash): Promise<Plan> {
    const [row] = await database.query<{ content: string }>('select content from perdure.plans where hash = $1', [
      hash,
    ]);
    if (row === undefined)
      throw new StoreFailure(
        'store-missing',
        `The plan \`${hash}\` is missing from the store: expected a row in the database at \`${database.place}\`.`,
      );
    const plan = checkPlan(JSON.parse(row.content) as Plan, hash);
    cache.set(hash, plan, 1);
    return plan;
  }

  return {
    async putPlan(plan) {
      if (cache.get(plan.hash) !== undefined) return;
      checkPlan(plan, plan.hash);
      const content = canonicalJson(plan);
      await database.query('insert into perdure.plans values ($1, $2) on conflict do nothing', [plan.hash, content]);
      // As other processes read it: the order of members shows in texts.
      cache.set(plan.hash, JSON.parse(content) as Plan, 1);
    },
    async getPlan(hash) {
      const kept = cache.get(hash);
      if (kept !== undefined) return kept;
      const known = reading.get(hash) ?? read(hash).finally(() => reading.delete(hash));
      reading.set(hash, known);
      return known;
    },
  };
}
