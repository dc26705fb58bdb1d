import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Hash } from '../../plan/values/value.js';
import { sha256 } from '../hash.js';
import type { Claim, JournalEntry, JournalKey, Taken } from '../journal/entry.js';
import type { Store } from '../store.js';
import type { ClaimTimes, Held, HeldClaims } from './claims.js';
import { BEAT_MS, holdClaims, keptEntry, LEASE_MS } from './claims.js';
import type { Database } from './database.js';

/** How long a wait for another's answer lasts between two looks. */
const LOOK_MS = 250;

/**
 * Takes a row that nobody has, or that its owner gave back. A claim that was made and whose confirmation was lost is
 * found again by its owner.
 */
const TAKE = `
  insert into perdure.journal as j (id, scope, key, owner, fence, beat) values ($1, $2, $3, $4, 1, clock_timestamp())
  on conflict (id) do update set owner = $4, fence = j.fence + 1, beat = clock_timestamp()
  where j.entry is null and j.owner is null
  returning fence, lost`;
const LOOK = `
  select entry, owner, fence, lost, beat::text as beat, beat < clock_timestamp() - $2 * interval '1 ms' as is_late
  from perdure.journal where id = $1`;
/** Takes a row from an owner that was silent for too long, unless it has said something since it was looked at. */
const TAKE_OVER = `
  update perdure.journal set owner = $4, fence = fence + 1, beat = clock_timestamp(), lost = lost + 1
  where id = $1 and entry is null and owner = $2 and beat = $3::timestamptz returning fence, lost`;
const READ = 'select entry from perdure.journal where id = $1';
const LIST = `
  select key, entry from perdure.journal where scope = $1 and starts_with(key, $2) and entry is not null
  order by place`;
const WRITE = `
  insert into perdure.journal as j (id, scope, key, entry) values ($1, $2, $3, $4)
  on conflict (id) do update set entry = $4, owner = null, written = clock_timestamp()`;
/** The owner tells who wrote it: one whose confirmation was lost finds that it was itself. */
const BEGIN = `
  insert into perdure.journal as j (id, scope, key, entry, owner) values ($1, $2, $3, $4, $5)
  on conflict (id) do update set owner = $5 where j.owner = $5 returning 1`;
const LOCK_ROW = `
  insert into perdure.journal (id, scope, key) values ($1, $2, $3) on conflict (id) do update set key = $3
  returning entry, owner`;
const MERGE = 'update perdure.journal set entry = $2, owner = $3, written = clock_timestamp() where id = $1';
/** The owner tells that nobody has written it since it was copied. */
const COPY = `
  insert into perdure.journal as j (id, scope, key, entry, owner) values ($1, $2, $3, $4, $5)
  on conflict (id) do update set entry = $4, written = clock_timestamp() where j.owner = $5 returning 1`;
const ASKED_AGAIN = 'select key, lost from perdure.journal where scope = $1 and lost > 0 order by place';

type Looked = { entry: string | null; owner: string | null; beat: string | null; fence: number; lost: number } & {
  is_late: boolean | null;
};

type Journal = Pick<
  Store,
  | 'readJournal'
  | 'claimQuestion'
  | 'beginOnce'
  | 'mergeJournal'
  | 'listJournal'
  | 'prepareJournal'
  | 'writeJournal'
  | 'listAskedAgain'
>;

/**
 * The journal in a database: one row a key, claimed before its question is asked. An owner beats for what it asks; one
 * that is silent for a lease, by the database's clock, and that is seen silent in as many answers of the database as
 * two beats take, is lost, and another takes its question with the next fencing number. So an outage of the database
 * makes no living owner lose its question. A session's lock, which ends with the database, proves nothing here.
 */
export function createJournal(
  database: Database,
  { leaseMs, beatMs }: ClaimTimes = { leaseMs: LEASE_MS, beatMs: BEAT_MS },
): Journal {
  const claims = holdClaims(database, { leaseMs, beatMs });
  // Answers are counted, not time: none come while the database is away, and they are slow where everything is.
  const silentLooks = Math.ceil((2 * beatMs) / LOOK_MS);

  async function look(id: string): Promise<Looked | null> {
    return (await database.query<Looked>(LOOK, [id, leaseMs]))[0] ?? null;
  }

  async function take({ scope, key }: JournalKey, id: string, owner: string): Promise<Taken | null> {
    const [taken] = await database.query<{ fence: number; lost: number }>(TAKE, [id, scope, key, owner]);
    if (taken !== undefined) return claimed(claims, { id, owner, ...taken });
    const found = await look(id);
    if (found?.entry != null) return { entry: entryIn(database, found.entry) };
    return found?.owner === owner ? claimed(claims, { id, owner, fence: found.fence, lost: found.lost }) : null;
  }

  /** Waits for the owner's answer, and takes its question once it is lost. Null where it gave the question back. */
  async function follow(id: string, owner: string, signal: AbortSignal | undefined): Promise<Taken | null> {
    const silent: { beat: string | null; looks: number } = { beat: null, looks: 0 };
    for (;;) {
      signal?.throwIfAborted();
      const found = await look(id);
      if (found?.entry != null) return { entry: entryIn(database, found.entry) };
      if (found?.owner == null) return null;
      if (found.owner === owner) return claimed(claims, { id, owner, fence: found.fence, lost: found.lost });
      if (silent.beat !== found.beat) Object.assign(silent, { beat: found.beat, looks: 0 });
      silent.looks += 1;
      if (found.is_late === true && silent.looks > silentLooks) {
        const [taken] = await database.query<{ fence: number; lost: number }>(TAKE_OVER, [
          id,
          found.owner,
          found.beat,
          owner,
        ]);
        if (taken !== undefined) return claimed(claims, { id, owner, ...taken });
      }
      await pause(LOOK_MS, undefined, { signal });
    }
  }

  return {
    async readJournal(key) {
      const [row] = await database.query<{ entry: string | null }>(READ, [idOf(key)]);
      return row?.entry == null ? null : entryIn(database, row.entry);
    },
    async claimQuestion(key, _request: Hash, signal) {
      const owner = randomUUID();
      const id = idOf(key);
      for (;;) {
        const taken = (await take(key, id, owner)) ?? (await follow(id, owner, signal));
        if (taken !== null) return taken;
      }
    },
    async beginOnce({ scope, key }, entry) {
      const parameters = [idOf({ scope, key }), scope, key, keptEntry(database, entry), randomUUID()];
      return (await database.query(BEGIN, parameters)).length > 0;
    },
    mergeJournal(key, merge) {
      const token = randomUUID(); // by which a merge whose confirmation was lost is found again
      return database.transaction(async (query) => {
        const [row] = await query<{ entry: string | null; owner: string | null }>(LOCK_ROW, [
          idOf(key),
          key.scope,
          key.key,
        ]);
        if (row?.owner === token) return;
        const before = row?.entry == null ? null : entryIn(database, row.entry);
        await query(MERGE, [idOf(key), keptEntry(database, merge(before)), token]);
      });
    },
    async listJournal(scope, begins = '') {
      const rows = await database.query<{ key: string; entry: string }>(LIST, [scope, begins]);
      return rows.map(({ key, entry }) => [key, entryIn(database, entry)]);
    },
    prepareJournal: () => undefined,
    async writeJournal({ scope, key }, entry) {
      await database.query(WRITE, [idOf({ scope, key }), scope, key, keptEntry(database, entry)]);
    },
    listAskedAgain: (scope) => database.query<{ key: string; lost: number }>(ASKED_AGAIN, [scope]),
  };
}

/** Writes another store's entry; false, and nothing is changed, where the database has one that is not a copy of it. */
export async function copyEntry(
  database: Database,
  { scope, key }: JournalKey,
  entry: JournalEntry,
  store: string,
): Promise<boolean> {
  const parameters = [idOf({ scope, key }), scope, key, keptEntry(database, entry), `copied from ${store}`];
  return (await database.query(COPY, parameters)).length > 0;
}

function claimed(claims: HeldClaims, { lost, ...row }: Omit<Held, 'stop' | 'unwritten'> & { lost: number }): Taken {
  const held: Held = { ...row, stop: new AbortController(), unwritten: null };
  claims.add(held);
  const claim: Claim = {
    lost,
    signal: held.stop.signal,
    answer: (entry) => claims.write(held, entry),
    release: () => claims.release(held),
  };
  return { claim };
}

function idOf({ scope, key }: JournalKey): string {
  return sha256(JSON.stringify([scope, key]));
}

function entryIn({ sealing }: Database, kept: string): JournalEntry {
  return JSON.parse(sealing.open(kept, 'journal')) as JournalEntry; // this file writes nothing else
}
