import type { Home, HomeBook } from '../workers/home-book.js';
import { SILENT_MS } from '../workers/worker-book.js';
import type { Database } from './database.js';

const IS_THERE = `not k.lost and k.beat > clock_timestamp() - $2 * interval '1 millisecond'`;
const READ = `
  select w.holder, w.fence, w.state, coalesce(${IS_THERE}, false) as there
  from perdure.workspaces w left join perdure.workers k on k.id = w.holder where w.run = $1`;
/** From then on it knows itself to be lost, whatever it was held up by. */
const LOSE = `
  update perdure.workers set lost = true
  where id = $1 and (lost or beat <= clock_timestamp() - $2 * interval '1 millisecond')`;
const STILL_THERE = 'select 1 from perdure.workers where id = $1 and not lost';
const TAKE = `
  insert into perdure.workspaces as w (run, holder, fence) values ($1, $2, $3::int + 1)
  on conflict (run) do update set holder = $2, fence = $3::int + 1, changed = clock_timestamp()
  where w.fence = $3::int or (w.fence = $3::int + 1 and w.holder = $2) returning fence`;
const KEEP = `
  update perdure.workspaces set state = $4, changed = clock_timestamp()
  where run = $1 and holder = $2 and fence = $3 returning 1`;

/** Workspaces as rows, with what was kept of them sealed. Who holds one is there as long as its worker beats. */
export function createHomes(database: Database): HomeBook {
  return {
    async readHome(run) {
      const [row] = await database.query<{ there: boolean } & Omit<Home, 'isThere'>>(READ, [run, SILENT_MS]);
      if (row === undefined) return null;
      const { holder, fence, state, there } = row;
      return { holder, fence, state: state === null ? null : database.sealing.open(state, 'record'), isThere: there };
    },
    async offerHome(run, state) {
      await database.query('insert into perdure.workspaces (run, state) values ($1, $2) on conflict do nothing', [
        run,
        database.sealing.seal(state, 'record'),
      ]);
    },
    async takeHome(run, worker, home) {
      const before = home?.holder ?? null;
      if (before !== null && before !== worker) {
        await database.query(LOSE, [before, SILENT_MS]);
        if ((await database.query(STILL_THERE, [before])).length > 0) return null;
      }
      const [row] = await database.query<{ fence: number }>(TAKE, [run, worker, home?.fence ?? 0]);
      return row?.fence ?? null;
    },
    async keepHome(run, { worker, fence }, state) {
      return (await database.query(KEEP, [run, worker, fence, database.sealing.seal(state, 'record')])).length > 0;
    },
    async releaseHomes(worker) {
      await database.query(
        'update perdure.workspaces set holder = null, changed = clock_timestamp() where holder = $1',
        [worker],
      );
    },
  };
}
