import type { Context } from '@temporalio/activity';
import type { JsonObject } from '../plan/json.js';

/** Well below the heartbeat timeout; the SDK sends at most one in its throttle interval anyway. */
const INTERVAL_MS = 2_000;

/**
 * Heartbeats with what `details` says then (small: it is for people who watch) until the returned function
 * is called. A local activity has no heartbeats.
 */
export function startHeartbeat(context: Context, details: () => JsonObject): () => void {
  if (context.info.isLocal) return () => undefined;
  // There is nothing to say yet, and to say nothing in JSON costs half of what a heartbeat does.
  context.heartbeat();
  const timer = setInterval(() => context.heartbeat(details()), INTERVAL_MS);
  return () => clearInterval(timer);
}
