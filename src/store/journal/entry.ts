/** Which answer of which tree of runs (I8). */

import type { Spend } from '../../plan/budget/spend.js';
import type { Json } from '../../plan/values/json.js';
import type { Hash, Value } from '../../plan/values/value.js';

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
  /** What a model was asked, for people who look at it later; absent where nobody was asked. */
  asked?: Value;
  /** The answer, as whoever asked wants it back. */
  response: Json;
  /** What the answer has cost, with no steps; absent where nobody was paid. */
  spent?: Spend;
  /** ISO 8601, UTC. */
  at: string;
  /** What the run's trace tells of it; absent where that is not traced. */
  traced?: Traced;
}

/** A question or a call as a trace tells it: nothing of what was asked or answered. */
export interface Traced {
  /** When it was asked; ISO 8601, UTC. */
  since: string;
  what: 'model' | 'program' | 'tool';
  /** Of the model, the program or the tool. */
  name: string;
  provider?: string;
  /** US dollars; null for an unknown price. */
  usd?: number | null;
  /** The call's id as the model gave it. */
  call_id?: string;
  /** The type of its failure, where it came to nothing. */
  failure?: string;
}

/** Why nobody asks any more: another owner has the question, as its signal's reason. */
export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError';

  constructor() {
    super('Another worker has taken the question over.');
  }
}

/** What a claim came to: the answer that is in the journal, or the right to ask. */
export type Taken = { entry: JournalEntry } | { claim: Claim };

/** A question that one owner asks, and nobody else as long as that one lives. */
export interface Claim {
  /** Owners before this one that were lost while they asked: each may have been answered, and was paid then. */
  lost: number;
  /** Aborts with a `ClaimLostError` once another owner has the question; null where no other can. */
  signal: AbortSignal | null;
  /**
   * Journals the answer. False where another owner has the question: then this is no answer, and only its spend counts.
   * Throws a `StoreFailure` where nothing can be written now.
   */
  answer(entry: JournalEntry, synced?: boolean): Promise<boolean>;
  /** Gives the question back: nothing came of it. Never throws. */
  release(): Promise<void>;
}
