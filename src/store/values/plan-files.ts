import { canonicalJson } from '../../plan/values/json.js';
import type { Plan } from '../../plan/plan.js';
import type { Hash } from '../../plan/values/value.js';
import { readFile } from 'node:fs/promises';
import { writeAtomically } from '../files.js';
import { sha256 } from '../hash.js';
import { createLruCache } from '../lru-cache.js';
import { movedRoot } from '../folders/root.js';
import { errorCode, StoreFailure, storeFailure } from '../store-failure.js';
import { fileOf } from './value-files.js';

/** Plans that a worker keeps parsed; they have at most 1 MiB each (I2). */
const CACHED_PLANS = 32;

export interface PlanFiles {
  putPlan(plan: Plan): Promise<void>;
  getPlan(hash: Hash): Promise<Plan>;
}

/** Plans by hash: `<folder>/ab/<hex>` holds a Plan whose other fields have that hash. They never change. */
export function createPlanFiles(folder: string): PlanFiles {
  const cache = createLruCache<Plan>(CACHED_PLANS);
  /** Plans that are being read: steps that start at once, fifty of them, ask for the same. */
  const reading = new Map<Hash, Promise<Plan>>();

  function readOnce(hash: Hash): Promise<Plan> {
    const known = reading.get(hash) ?? read(hash).finally(() => reading.delete(hash));
    reading.set(hash, known);
    return known;
  }

  async function read(hash: Hash): Promise<Plan> {
    const plan = checkPlan(await readPlan(fileOf(folder, hash), hash), hash);
    cache.set(hash, plan, 1);
    return plan;
  }

  return {
    async putPlan(plan) {
      if (cache.get(plan.hash) !== undefined) return;
      checkPlan(plan, plan.hash);
      const content = canonicalJson(plan);
      await writeAtomically(fileOf(folder, plan.hash), content);
      // As other processes read it: the order of members shows in texts.
      cache.set(plan.hash, JSON.parse(content) as Plan, 1);
    },
    getPlan: async (hash) => cache.get(hash) ?? readOnce(hash),
  };
}

async function readPlan(path: string, hash: Hash): Promise<Plan> {
  try {
    // Whether it is the Plan of that name is proved by `checkPlan`.
    return JSON.parse(await readFile(path, 'utf8')) as Plan;
  } catch (error) {
    if (errorCode(error) === 'ENOENT')
      throw (
        movedRoot(path) ??
        new StoreFailure(
          'store-missing',
          `The plan \`${hash}\` is missing from the store: expected the file \`${path}\`.`,
          { cause: error },
        )
      );
    if (error instanceof SyntaxError)
      throw new StoreFailure('store-missing', `The plan \`${hash}\` is corrupt: the file \`${path}\` is not JSON.`, {
        cause: error,
      });
    throw storeFailure(error, 'read', path);
  }
}

/** Gives the Plan back when its content has the hash it goes by. */
export function checkPlan(plan: Plan, hash: Hash): Plan {
  const { hash: _claimed, ...content } = plan;
  const found = sha256(canonicalJson(content));
  if (found !== hash)
    throw new StoreFailure('store-missing', `The plan \`${hash}\` is corrupt: its content has the hash \`${found}\`.`);
  return plan;
}
