import type { RunStatus } from '../../plan/result.js';

/** What runs can be asked for by, in the order in which people are offered it. */
export const LISTED_STATUSES = [
  'open',
  'running',
  'waiting',
  'paused',
  'success',
  'partial',
  'error',
  'timeout',
  'cancelled',
] as const satisfies ListedStatus[];

/** `open` has a run of which no end is known while nobody can be asked whether it works, waits or is paused. */
export type ListedStatus = RunStatus | 'open';
