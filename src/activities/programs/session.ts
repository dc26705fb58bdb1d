import { createHash, randomUUID } from 'node:crypto';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import type { JournalKey } from '../../store/journal/entry.js';
import type { ProgramCall } from '../contract.js';
import type { ProgramSpend } from './program.js';
import { NOTHING_SPENT, addSpent, spendBy } from './usage.js';

/** A conversation of a program that has not ended, as the journal keeps it: what a lost worker leaves. */
export interface OpenSession {
  /** The program's own id for it. */
  id: string;
  /** What processes used in it that ended without an answer, as far as they told. */
  spent: ProgramSpend;
  /** What was used for the same question in sessions before, which the program has lost. */
  lost?: ProgramSpend;
}

/** What a question has used: in its session, and in those that were lost. */
export function paidIn({ spent, lost }: OpenSession): ProgramSpend {
  return addSpent(lost ?? NOTHING_SPENT, spent);
}

export interface SessionBook {
  read(): Promise<OpenSession | null>;
  /** Is on disk when it resolves; writes keep their order. */
  write(session: OpenSession): Promise<void>;
}

/** The open session of one question of a step's try (I8). A session of another request is none. */
export function sessionBook(store: Store, call: ProgramCall, again: number, request: Hash): SessionBook {
  const key: JournalKey = {
    scope: call.root.first,
    key: canonicalJson([call.path, call.try, 'program', again, 'session']),
  };
  let last: Promise<void> = Promise.resolve();
  return {
    async read() {
      const entry = await store.readJournal(key);
      // `write` made it
      return entry === null || entry.request !== request ? null : (entry.response as unknown as OpenSession);
    },
    write(session) {
      const spent = spendBy(call, paidIn(session));
      const response = session as unknown as Json; // plain JSON
      const entry = { request, response, spent, at: new Date().toISOString() };
      last = last.then(() => store.writeJournal(key, entry));
      return last;
    },
  };
}

/** An id for a new session; a UUID, which is what programs want. The same question has the same at its first start. */
export function sessionId(call: ProgramCall, again: number): string {
  const hex = createHash('sha256')
    .update(canonicalJson([call.root.first, call.path, call.try, again]))
    .digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** An id for a session that begins anew because the program has lost the first. */
export function freshSessionId(): string {
  return randomUUID();
}
