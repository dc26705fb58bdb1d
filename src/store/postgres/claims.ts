import { performance } from 'node:perf_hooks';
import type { JournalEntry } from '../journal/entry.js';
import { ClaimLostError } from '../journal/entry.js';
import { isPassing } from '../store-failure.js';
import type { Database } from './database.js';

/** How long an owner may be silent, by the database's clock, before another may take its questions over. */
export const LEASE_MS = 12_000;
/** How often an owner says that it asks still. */
export const BEAT_MS = 3_000;
/** How soon it is said again, or an answer written again, where the database did not take it. */
const AGAIN_MS = 1_000;

/** Times of claims, in milliseconds; tests have shorter ones. */
export interface ClaimTimes {
  leaseMs: number;
  beatMs: number;
}

/** A question that this process asks. */
export interface Held {
  /** Of the row. */
  id: string;
  /** Of this very claim: no other has it, in no process. */
  owner: string;
  /** Grows with each claim of the row: who holds a smaller one is out. */
  fence: number;
  stop: AbortController;
  /** The answer, as its row gets it, that could not be written yet: what is written again is the very same. */
  unwritten: { entry: JournalEntry; kept: string } | null;
}

/** The questions that this process asks, and what keeps them its own. */
export interface HeldClaims {
  add(held: Held): void;
  /** True where the answer is written; false where another has the question, which is let go then. */
  write(held: Held, entry: JournalEntry): Promise<boolean>;
  /** Lets go of it. Never throws: what nobody beats for can be taken over. */
  release(held: Held): Promise<void>;
}

const WRITE = `
  update perdure.journal set entry = $4, written = clock_timestamp()
  where id = $1 and owner = $2 and fence = $3 and (entry is null or entry = $4) returning 1`;
const RELEASE = `update perdure.journal set owner = null where id = $1 and owner = $2 and fence = $3 and entry is null`;
const BEAT = `
  update perdure.journal j set beat = clock_timestamp()
  from unnest($1::text[], $2::text[], $3::int[]) as held(id, owner, fence)
  where j.id = held.id and j.owner = held.owner and j.fence = held.fence
  returning j.owner`;

/**
 * Beats for what is held, all in one statement, as long as something is. What the database does not confirm belongs to
 * another: its signal aborts. Answers that could not be written are written after the beats, each by itself, so that
 * the question is answered as soon as the database takes it, wherever its activity is started again. No beat waits for
 * them: an answer that the database refuses costs no other question its owner.
 */
export function holdClaims(database: Database, { beatMs }: ClaimTimes): HeldClaims {
  const held = new Map<string, Held>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | null = null;

  function schedule(afterMs: number): void {
    clearTimeout(timer);
    timer = held.size === 0 ? undefined : setTimeout(() => void beat(), afterMs);
    timer?.unref();
  }

  function lose(one: Held): void {
    held.delete(one.owner);
    one.stop.abort(new ClaimLostError());
  }

  async function write(one: Held, entry: JournalEntry): Promise<boolean> {
    const { id, owner, fence } = one;
    if (one.unwritten?.entry !== entry) one.unwritten = { entry, kept: keptEntry(database, entry) };
    const written = await database.query(WRITE, [id, owner, fence, one.unwritten.kept]);
    if (written.length === 0) lose(one);
    else held.delete(owner);
    return written.length > 0;
  }

  async function beat(): Promise<void> {
    const all = [...held.values()];
    if (all.length === 0) return schedule(beatMs);
    const begun = performance.now();
    try {
      const confirmed = await database.query<{ owner: string }>(BEAT, [
        all.map(({ id }) => id),
        all.map(({ owner }) => owner),
        all.map(({ fence }) => fence),
      ]);
      const ours = new Set(confirmed.map(({ owner }) => owner));
      // What was answered or given back meanwhile is nobody's.
      for (const one of all) if (!ours.has(one.owner) && held.has(one.owner)) lose(one);
      const isBehind = [...held.values()].some(({ unwritten }) => unwritten !== null);
      schedule(isBehind ? AGAIN_MS : Math.max(0, beatMs - (performance.now() - begun)));
    } catch {
      schedule(AGAIN_MS); // who needs it tells what is wrong
    }
    writing ??= writeAll().finally(() => (writing = null));
  }

  /** What comes meanwhile is written by the next beat; what will never be written is given back. */
  async function writeAll(): Promise<void> {
    for (const one of [...held.values()])
      if (one.unwritten !== null && held.has(one.owner))
        await write(one, one.unwritten.entry).catch((error: unknown) => (isPassing(error) ? undefined : release(one)));
  }

  async function release(one: Held): Promise<void> {
    held.delete(one.owner);
    await database.query(RELEASE, [one.id, one.owner, one.fence]).catch(() => undefined);
  }

  return {
    add(one) {
      held.set(one.owner, one);
      if (timer === undefined) schedule(beatMs);
    },
    async write(one, entry) {
      if (one.stop.signal.aborted) return false;
      try {
        return await write(one, entry);
      } catch (error) {
        if (isPassing(error)) schedule(AGAIN_MS);
        else await release(one); // it will never be written
        throw error;
      }
    },
    release,
  };
}

/** An entry as it is kept. */
export function keptEntry({ sealing }: Database, entry: JournalEntry): string {
  return sealing.seal(JSON.stringify(entry), 'journal');
}
