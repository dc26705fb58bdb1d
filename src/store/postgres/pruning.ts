import type { Pruning } from '../records/prune-files.js';
import { removeUnnamedFiles, removeWork } from '../records/prune-files.js';
import type { Database } from './database.js';

const OLD_JOURNALS = `
  select scope from perdure.journal where scope <> all($2::text[])
  group by scope having max(written) < $1::timestamptz order by scope`;

/** What is removed of a database, and of the state folder of this machine: work that others hold stays with them. */
export function createPruning(database: Database, stateDir: string): Pruning {
  return {
    async removeRun(run) {
      await database.query('delete from perdure.logs where run = $1', [run]);
      await database.query(`delete from perdure.lines where kind = 'narration' and name = $1`, [run]);
      await database.query(
        `delete from perdure.records
         where kind in ('recorded', 'snapshot', 'submitted') and name = $1 or kind = 'concept ' || $1`,
        [run],
      );
      await removeWork(stateDir, run);
      await database.query('delete from perdure.workspaces where run = $1', [run]);
      await database.query('delete from perdure.runs where is_nested and starts_with(run, $1)', [`${run}/`]);
      await database.query('delete from perdure.runs where run = $1', [run]);
    },
    async listOldJournals({ before, keep }) {
      const rows = await database.query<{ scope: string }>(OLD_JOURNALS, [before.toISOString(), [...keep]]);
      return rows.map(({ scope }) => scope);
    },
    async removeJournals(scopes) {
      await database.query('delete from perdure.journal where scope = any($1::text[])', [scopes]);
    },
    removeUnnamedFiles: () => removeUnnamedFiles(stateDir),
  };
}
