import type { RunRecord } from '../../plan/result.js';
import type { RunFiles } from '../records/run-files.js';
import { recordFile } from '../records/run-files.js';
import { StoreFailure } from '../store-failure.js';
import type { Database } from './database.js';

/** What remains of closed runs, a row each. */
export function createRuns(database: Database): RunFiles {
  const { sealing } = database;
  return {
    async writeRun(record, named) {
      if (recordFile(record.run) === null)
        throw new StoreFailure('internal', `Expected a run's id, got \`${record.run}\`.`);
      await named;
      await database.query(
        'insert into perdure.runs values ($1, $2, $3) on conflict (run) do update set record = $2, is_nested = $3',
        [record.run, sealing.seal(JSON.stringify(record), 'record'), record.run.includes('/')],
      );
    },
    async readRun(run) {
      const [row] = await database.query<{ record: string }>('select record from perdure.runs where run = $1', [run]);
      // `writeRun` writes nothing else
      return row === undefined ? null : (JSON.parse(sealing.open(row.record, 'record')) as RunRecord);
    },
    async forgetRun(run) {
      await database.query('delete from perdure.runs where run = $1', [run]);
    },
    async listRuns(below) {
      const rows = await (below === undefined
        ? database.query<{ run: string }>('select run from perdure.runs where not is_nested')
        : database.query<{ run: string }>('select run from perdure.runs where is_nested and starts_with(run, $1)', [
            `${below}/`,
          ]));
      return rows.map(({ run }) => run).sort();
    },
  };
}
