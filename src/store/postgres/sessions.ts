import type { Json } from '../../plan/values/json.js';
import type { SessionFiles, SessionMessage, SpeakingRuns } from '../records/session-files.js';
import { latestFirst, sessionOf } from '../records/session-files.js';
import type { Database } from './database.js';
import { linesOf } from './records.js';

/** Sessions as lines, each appended as it was said. */
export function createSessions(database: Database, runs: SpeakingRuns): SessionFiles {
  const lines = linesOf(database, 'session');
  const asJson = (message: SessionMessage): Json => ({ ...message }); // every field is JSON
  return {
    createSession: (head, messages = []) => lines.appendAll(head.session_id, [{ ...head }, ...messages.map(asJson)]),
    addMessage: (session, message) => lines.append(session, asJson(message)),
    readSession: async (session) => sessionOf(await lines.read(session), runs),
    async listSessions() {
      const all = [...(await lines.readAll()).values()];
      return latestFirst(await Promise.all(all.map((one) => sessionOf(one, runs))));
    },
    removeSession: (session) => lines.remove(session),
  };
}
