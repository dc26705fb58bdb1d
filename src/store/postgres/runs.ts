import type { RunRecord } from '../../plan/result.js';
import type { RunFiles } from '../records/run-files.js';
import { recordFile } from '../records/run-files.js';
import { StoreFailure } from '../store-failure.js';
import type { Database } from './database.js';
import type { Sealing } from './sealing.js';

/** Records that are read by one statement. */
const PAGE = 1_000;
/** By the index: a column that is given by its own name, as text, is what rows would be ordered by. */
const CLOSED = `
  select run, record, ended::text as at from perdure.runs
  where not is_nested and (ended, run) < ($1::timestamptz, $2) order by ended desc, run desc limit $3`;

/** Null of one that is not as `writeRun` writes them, or whose key is not here. */
function openedIn(record: string, sealing: Sealing): RunRecord | null {
  try {
    return JSON.parse(sealing.open(record, 'record')) as RunRecord; // `writeRun` writes nothing else
  } catch {
    return null;
  }
}

/** What remains of closed runs, a row each. */
export function createRuns(database: Database): RunFiles {
  const { sealing } = database;
  return {
    async writeRun(record, named) {
      if (recordFile(record.run) === null)
        throw new StoreFailure('internal', `Expected a run's id, got \`${record.run}\`.`);
      await named;
      await database.query(
        `insert into perdure.runs (run, record, is_nested, ended) values ($1, $2, $3, $4)
         on conflict (run) do update set record = $2, is_nested = $3, ended = $4`,
        [record.run, sealing.seal(JSON.stringify(record), 'record'), record.run.includes('/'), record.ended_at],
      );
    },
    async readRun(run) {
      const [row] = await database.query<{ record: string }>('select record from perdure.runs where run = $1', [run]);
      // `writeRun` writes nothing else
      return row === undefined ? null : (JSON.parse(sealing.open(row.record, 'record')) as RunRecord);
    },
    async countRuns() {
      const [row] = await database.query<{ runs: number }>(
        'select count(*)::int as runs from perdure.runs where not is_nested',
      );
      return row?.runs ?? 0;
    },
    async *closedRuns(atOnce = PAGE) {
      for (let [ended, run] = ['infinity', '']; ;) {
        const rows = await database.query<Record<'run' | 'record' | 'at', string>>(CLOSED, [ended, run, atOnce]);
        const last = rows.at(-1);
        if (last === undefined) return;
        yield rows.flatMap(({ record }) => openedIn(record, sealing) ?? []);
        [ended, run] = [last.at, last.run];
      }
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
