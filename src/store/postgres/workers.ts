import { requirementIn, requirementKey } from '../../plan/placement/requirement.js';
import type { WorkerBook } from '../workers/worker-book.js';
import { SILENT_MS, workerIn } from '../workers/worker-book.js';
import type { Database } from './database.js';

/** One that was taken for lost stays so: its place is another's. */
const NOTE = `
  insert into perdure.workers as w (id, record) values ($1, $2)
  on conflict (id) do update set record = $2, beat = clock_timestamp() where not w.lost returning 1`;
const LIST = `
  select record from perdure.workers
  where not lost and beat > clock_timestamp() - $1 * interval '1 millisecond' order by begun, id`;
/** Those of which nothing is left that anybody holds. */
const SWEEP = `delete from perdure.workers where beat < clock_timestamp() - interval '1 day'`;

/** Workers as rows with a beat, by the database's clock, and requirements as rows. */
export function createWorkers(database: Database): WorkerBook {
  const { sealing } = database;
  let isSwept = false;
  return {
    async noteWorker(worker) {
      if (!isSwept) await database.query(SWEEP);
      isSwept = true;
      return (await database.query(NOTE, [worker.id, sealing.seal(JSON.stringify(worker), 'record')])).length > 0;
    },
    async forgetWorker(id) {
      await database.query('delete from perdure.workers where id = $1', [id]);
    },
    async listWorkers() {
      const rows = await database.query<{ record: string }>(LIST, [SILENT_MS]);
      return rows.flatMap(({ record }) => workerIn(sealing.open(record, 'record')) ?? []);
    },
    async requireWorkers(requires) {
      await database.query('insert into perdure.required values ($1) on conflict do nothing', [
        requirementKey(requires),
      ]);
    },
    async listRequired() {
      const rows = await database.query<{ key: string }>('select key from perdure.required order by key');
      return rows.map(({ key }) => requirementIn(key));
    },
  };
}
