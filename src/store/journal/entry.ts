/** Which answer of which tree of runs (I8). */

import type { Json } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';

export interface JournalKey {
  /** `RootLink.first`: one file for each. */
  scope: string;
  /** Unique in the scope: canonical JSON of the step's path, the interpreter's try, and what tells its calls apart. */
  key: string;
}

/** What a call was answered, kept so that nothing is paid or done twice (I8). */
export interface JournalEntry {
  /** SHA-256 of the canonical request; a hit with another hash is a failure, never an answer. */
  request: Hash;
  /** The answer, as whoever asked wants it back. */
  response: Json;
  /** ISO 8601, UTC. */
  at: string;
}
