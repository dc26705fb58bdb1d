import type { Context } from '@temporalio/activity';
import type { JsonObject } from '../../plan/values/json.js';

/** Well below the heartbeat timeout; the SDK sends at most one in its throttle interval anyway. */
const INTERVAL_MS = 2_000;

/**
 * Heartbeats with what `details` says then (small: it is for people who watch) until the returned function is called. A
 * local activity has no heartbeats. None is sent at once: it would say nothing that its start has not said, and the
 * server commits each.
 */
export function startHeartbeat(context: Context, details: () => JsonObject): () => void {
  if (context.info.isLocal) return () => undefined;
  const timer = setInterval(() => context.heartbeat(details()), INTERVAL_MS);
  return () => clearInterval(timer);
}
