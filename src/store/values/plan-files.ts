import type { Plan } from '../../plan/plan.js';
import type { Hash } from '../../plan/values/value.js';
import { writeAtomically } from '../files.js';
import { movedRoot } from '../folders/root.js';
import { errorCode, StoreFailure, storeFailure } from '../store-failure.js';
import type { Plans } from './plans.js';
import { keepPlans } from './plans.js';
import { fileOf } from './value-files.js';
import { readText } from '../read-regular.js';

/** Plans by hash: `<folder>/ab/<hex>` holds a Plan whose other fields have that hash. They never change. */
export function createPlanFiles(folder: string): Plans {
  return keepPlans({
    write: (hash, content) => writeAtomically(fileOf(folder, hash), content),
    read: (hash) => readPlan(fileOf(folder, hash), hash),
  });
}

async function readPlan(path: string, hash: Hash): Promise<Plan> {
  try {
    // Whether it is the Plan of that name is proved by `keepPlans`.
    return JSON.parse(await readText(path)) as Plan;
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
