import { locate } from '../../store/folders/places.js';
import { movedRoot } from '../../store/folders/root.js';
import type { Store } from '../../store/store.js';
import { toFailure } from '../failures.js';

/**
 * A call with its workspace as it is here: a run carries it from the state folder. Throws where the store was moved
 * away from this worker, which ends then: nothing is begun, and Temporal starts the activity where the store is.
 */
export function locatedCall<C extends { workspace?: string }>(store: Store, call: C): C {
  if (call.workspace === undefined) return call;
  const moved = store.folder === null ? null : movedRoot(store.folder);
  if (moved !== null) throw toFailure(moved);
  return { ...call, workspace: locate(store, call.workspace) };
}
