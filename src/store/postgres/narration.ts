import { randomUUID } from 'node:crypto';
import type { Json } from '../../plan/values/json.js';
import type { NarrationFiles } from '../records/narration-files.js';
import { narrationLines } from '../records/narration-files.js';
import { sha256 } from '../hash.js';
import type { Database } from './database.js';
import { linesOf, recordsOf } from './records.js';

/** What narrator and teacher say, as lines, and a row for each concept that was taught. */
export function createNarration(database: Database): NarrationFiles {
  const lines = linesOf(database, 'narration');
  const conceptsOf = (origin: string): ReturnType<typeof recordsOf> => recordsOf(database, `concept ${origin}`);
  return {
    addNarration: (run, line) => lines.append(run, line as unknown as Json), // JSON-safe
    readNarration: async (run) => narrationLines(await lines.read(run)),
    claimConcept: (origin, concept) => conceptsOf(origin).writeOnce(sha256(concept), `${randomUUID()} ${concept}`),
    listConcepts: async (origin) =>
      (await conceptsOf(origin).list()).map(({ content }) => content.slice(content.indexOf(' ') + 1)),
  };
}
