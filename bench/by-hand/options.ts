import { GRACE_MS, HEARTBEAT_TIMEOUT, RETRY } from '../../src/workflows/activities.js';

/**
 * The interpreter's own: neither side may wait longer, retry more or be watched less. A step's usual limit is five
 * minutes.
 */
export const ACTIVITY_OPTIONS = {
  startToCloseTimeout: 5 * 60_000 + GRACE_MS,
  heartbeatTimeout: HEARTBEAT_TIMEOUT,
  retry: RETRY,
} as const;

/**
 * Steps one after another after which a run of either side continues as new: with ours that many are 4,000 events
 * (I12).
 */
export const STEPS_PER_LINK = 667;
