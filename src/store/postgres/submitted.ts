import type { SubmittedFiles, SubmittedRun } from '../records/submitted-files.js';
import { submittedIn } from '../records/submitted-files.js';
import type { Database } from './database.js';
import { recordsOf } from './records.js';

const noted = (contents: string[]): SubmittedRun[] => contents.flatMap((content) => submittedIn(content) ?? []);

/** Runs that were submitted, a row each. */
export function createSubmitted(database: Database): SubmittedFiles {
  const records = recordsOf(database, 'submitted');
  return {
    noteSubmitted: (run) => records.writeOnce(run.run, JSON.stringify(run)),
    readSubmitted: async (runs) => noted(await records.readSome(runs)),
    async listUnrecorded() {
      const rows = await database.query<{ name: string }>(
        `select name from perdure.records r where kind = 'submitted'
         and not exists (select from perdure.runs where run = r.name)`,
      );
      return noted(await records.readSome(rows.map(({ name }) => name)));
    },
    forgetSubmitted: (run) => records.remove(run),
  };
}
