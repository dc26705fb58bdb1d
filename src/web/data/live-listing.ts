import type { RunRecord } from '../../plan/result.js';
import type { SubmittedRun } from '../../store/records/submitted-files.js';
import type { Store } from '../../store/store.js';
import type { Listing } from '../../cli/observe/list-runs.js';
import { listGates, listRuns } from '../../cli/observe/list-runs.js';
import type { SharedSession } from './shared-link.js';

/** How often somebody who looks is told of changes. */
const LOOK_MS = 2_000;
/** What no open run tells of, a record that was removed say, is seen after this time. */
const OLDEST_MS = 30_000;

/** All runs and gates, read once for all who look. */
export interface LiveListing {
  /** As it is now, with so many of the runs that have ended at least, the last ones. */
  read(ended: number): Promise<Listing>;
  /** As it was when somebody last looked. */
  last(): Listing | null;
  /** Has `onChange` called when something in it has changed, until what it gives is called. */
  watch(onChange: () => void): () => void;
}

/**
 * A list that nobody looks at: it reads nothing until somebody does. Only what is open is asked for each time; the list
 * is made anew where that has changed. What is wanted of all runs that have ended is remembered; a few are read anew.
 */
export function createLiveListing(session: SharedSession): LiveListing {
  const remembering: SharedSession = { ...session, store: rememberRecords(session.store) };
  const watchers = new Set<() => void>();
  let last: { at: number; sign: string; ended: number; listing: Promise<Listing>; done: Listing | null } | null = null;
  let timer: NodeJS.Timeout | null = null;
  let seen = '';

  const signNow = (): Promise<string> => session.patiently(() => listGates(session)).then(signOf);

  const read = async (ended: number): Promise<Listing> => {
    const sign = await signNow();
    if (last !== null && last.sign === sign && last.ended >= ended && Date.now() - last.at < OLDEST_MS)
      return last.listing;
    const listing = session.patiently(() => listRuns(ended === Infinity ? remembering : session, { ended }));
    const started = { at: Date.now(), sign, ended, listing, done: last?.done ?? null };
    last = started;
    listing.then(
      (done) => (started.done = done),
      () => {
        if (last === started) last = null;
      },
    );
    return listing;
  };

  const look = async (): Promise<void> => {
    const now = await signNow().catch(() => seen);
    if (now !== seen) for (const tell of watchers) tell();
    seen = now;
    timer = watchers.size === 0 ? null : setTimeout(() => void look(), LOOK_MS);
  };

  return {
    read,
    last: () => last?.done ?? null,
    watch(onChange) {
      if (watchers.size === 0 && timer === null) {
        seen = last?.sign ?? '';
        timer = setTimeout(() => void look(), LOOK_MS);
      }
      watchers.add(onChange);
      return () => void watchers.delete(onChange);
    },
  };
}

/** What tells one moment from another. */
function signOf({ open, gates, paused, serverIsDown }: Awaited<ReturnType<typeof listGates>>): string {
  return JSON.stringify([
    open,
    gates.map(({ address, gate }) => [address, gate.hash, gate.since, gate.votes?.length ?? 0]),
    paused.map(({ run, since }) => [run, since]),
    serverIsDown,
  ]);
}

/** So many new records are read one by one. */
const FEW = 50;

/**
 * Records of closed runs do not change, nor does what was noted when these were submitted: each is read once, and of a
 * record only what lists show is kept.
 */
function rememberRecords(store: Store): Store {
  const known = new Map<string, RunRecord>();
  /** Null for what nobody has submitted here. */
  const noted = new Map<string, SubmittedRun | null>();
  const keep = (record: RunRecord): void =>
    void known.set(record.run, { ...record, input: {}, output: null, pages: [] });
  const closedRuns: Store['closedRuns'] = async function* () {
    const ids = (await store.listRuns()).filter((run) => !run.includes('/'));
    const unknown = new Set(ids.filter((run) => !known.has(run)));
    if (unknown.size <= FEW) {
      const read = await Promise.all([...unknown].map((run) => store.readRun(run).catch(() => null)));
      for (const record of read) if (record !== null) keep(record);
    } else
      for await (const page of store.closedRuns()) {
        for (const record of page) if (unknown.delete(record.run)) keep(record);
        if (unknown.size === 0) break;
      }
    yield ids.flatMap((run) => known.get(run) ?? []);
  };
  const readSubmitted: Store['readSubmitted'] = async (runs) => {
    const unknown = runs.filter((run) => !noted.has(run));
    const read = new Map((await store.readSubmitted(unknown)).map((submitted) => [submitted.run, submitted]));
    for (const run of unknown) noted.set(run, read.get(run) ?? null);
    return runs.flatMap((run) => noted.get(run) ?? []);
  };
  return { ...store, closedRuns, readSubmitted };
}
