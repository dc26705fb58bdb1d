import type { Store } from '../../store/store.js';
import type { ClosedRun } from './read-past.js';
import { readPast } from './read-past.js';

/** How long what was read of closed runs is taken for the latest. */
const FRESH_MS = 30_000;

/** Closed runs for who asks often: each is read once, and none before somebody asks. What cannot be read is no past. */
export function createPast(store: Store): () => Promise<readonly ClosedRun[]> {
  const known = new Map<string, ClosedRun>();
  let last: { at: number; past: Promise<readonly ClosedRun[]> } | null = null;
  return () => {
    if (last === null || Date.now() - last.at >= FRESH_MS)
      last = { at: Date.now(), past: readPast(store, known).catch(() => []) };
    return last.past;
  };
}
