/** What steps of this run require of their workers. */
export interface RequiredWorkers {
  /** Requirements that the workers of the store know of. */
  announced: Set<string>;
  /** How many steps that are under way have each of them. */
  open: Map<string, number>;
}

/** Nothing is required so far. */
export function createRequiredWorkers(): RequiredWorkers {
  return { announced: new Set(), open: new Map() };
}
