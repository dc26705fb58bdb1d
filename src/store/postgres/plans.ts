import type { Plan } from '../../plan/plan.js';
import { StoreFailure } from '../store-failure.js';
import type { Plans } from '../values/plans.js';
import { keepPlans } from '../values/plans.js';
import type { Database } from './database.js';

/** Plans by hash, as rows. */
export function createPlans(database: Database): Plans {
  return keepPlans({
    write: (hash, content) =>
      database.query('insert into perdure.plans values ($1, $2) on conflict do nothing', [
        hash,
        database.sealing.seal(content, 'record'),
      ]),
    async read(hash) {
      const [row] = await database.query<{ content: string }>('select content from perdure.plans where hash = $1', [
        hash,
      ]);
      if (row === undefined)
        throw new StoreFailure(
          'store-missing',
          `The plan \`${hash}\` is missing from the store: expected a row in the database at \`${database.place}\`.`,
        );
      return JSON.parse(database.sealing.open(row.content, 'record')) as Plan; // proved by `keepPlans`
    },
  });
}
