import type { RunEnd, RunStatus } from '../../plan/result.js';

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

/** How the server calls ends of runs of this status; a partial one is told by its record alone. */
export const SERVED_ENDS = {
  success: ['Completed'],
  partial: [],
  error: ['Failed'],
  timeout: ['TimedOut'],
  cancelled: ['Canceled', 'Terminated'],
} as const satisfies Record<RunEnd, string[]>;

/** Tells whether a status is an end. */
export function isEnd(status: string): status is RunEnd {
  return Object.hasOwn(SERVED_ENDS, status);
}
