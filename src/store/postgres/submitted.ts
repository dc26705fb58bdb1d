import type { SubmittedFiles } from '../records/submitted-files.js';
import { submittedIn } from '../records/submitted-files.js';
import type { Database } from './database.js';
import { recordsOf } from './records.js';

/** Runs that were submitted, a row each. */
export function createSubmitted(database: Database): SubmittedFiles {
  const records = recordsOf(database, 'submitted');
  return {
    noteSubmitted: (run) => records.writeOnce(run.run, JSON.stringify(run)),
    listSubmitted: async () => (await records.list()).flatMap(({ content }) => submittedIn(content) ?? []),
    forgetSubmitted: (run) => records.remove(run),
  };
}
