import type { Listing } from '../../cli/observe/list-runs.js';
import { listRuns } from '../../cli/observe/list-runs.js';
import type { SharedSession } from './shared-link.js';

/** How often the list is read anew while somebody looks. */
const LOOK_MS = 2_000;
/** Pages that are asked for at once are made of one list. */
const FRESH_MS = 500;

/** All runs and gates, read once for all who look. */
export interface LiveListing {
  /** As it is now. */
  read(): Promise<Listing>;
  /** As it was when somebody last looked. */
  last(): Listing | null;
  /** Has `onChange` called when something in it has changed, until what it gives is called. */
  watch(onChange: () => void): () => void;
}

/** A list that nobody looks at. It reads nothing until somebody does. */
export function createLiveListing(session: SharedSession): LiveListing {
  const watchers = new Set<() => void>();
  let last: Listing | null = null;
  let reading: { at: number; listing: Promise<Listing> } | null = null;
  let timer: NodeJS.Timeout | null = null;
  let seen = '';

  const read = (): Promise<Listing> => {
    if (reading !== null && Date.now() - reading.at < FRESH_MS) return reading.listing;
    const listing = session.patiently(() => listRuns(session)).then((found) => (last = found));
    const started = { at: Date.now(), listing };
    reading = started;
    listing.catch(() => {
      if (reading === started) reading = null;
    });
    return listing;
  };

  const look = async (): Promise<void> => {
    const now = await read().then(signOf, () => seen);
    if (now !== seen) for (const tell of watchers) tell();
    seen = now;
    timer = watchers.size === 0 ? null : setTimeout(() => void look(), LOOK_MS);
  };

  return {
    read,
    last: () => last,
    watch(onChange) {
      if (watchers.size === 0 && timer === null) {
        seen = last === null ? '' : signOf(last);
        timer = setTimeout(() => void look(), LOOK_MS);
      }
      watchers.add(onChange);
      return () => void watchers.delete(onChange);
    },
  };
}

/** What tells one list from another. */
function signOf({ runs, gates, paused, serverIsDown }: Listing): string {
  return JSON.stringify([
    runs.map(({ run, status }) => [run, status]),
    gates.map(({ address, gate }) => [address, gate.hash, gate.since, gate.votes?.length ?? 0]),
    paused.map(({ run, since }) => [run, since]),
    serverIsDown,
  ]);
}
