import type { TakenHome } from '../../plan/placement/home.js';

/** Where the steps of this run are done, as far as this run knows. */
export interface Placement {
  /** Requirements that the workers of the store know of. */
  announced: Set<string>;
  /** How many steps that are under way have each of them. */
  open: Map<string, number>;
  home: RunHome;
}

/** Which worker has the workspace of this run's tree. */
export interface RunHome {
  /** What was asked last; null where that does not hold any more. */
  asked: Promise<TakenHome> | null;
  /** The worker that did not take what it was sent. */
  lost: string | null;
  /** Id of the activity that ended last of those that may have changed its files; null for none in this link. */
  ended: string | null;
  /** How often it was asked. */
  times: number;
}

/** Nothing is known so far. */
export function createPlacement(): Placement {
  return { announced: new Set(), open: new Map(), home: { asked: null, lost: null, ended: null, times: 0 } };
}
