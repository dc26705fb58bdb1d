import type { Context } from '@temporalio/activity';
import type { JsonObject } from '../../plan/values/json.js';

/** Well below the heartbeat timeout; the SDK sends at most one in its throttle interval anyway. */
const INTERVAL_MS = 2_000;

/** What activities wait for by themselves, for people. */
const waits = new WeakMap<Context, string>();

/** Says with the next heartbeats what the activity waits for, and at once; null for nothing any more. */
export function heartbeatWait(context: Context, what: string | null): void {
  if (what === null || context.info.isLocal || waits.get(context) === what) {
    if (what === null) waits.delete(context);
    return;
  }
  waits.set(context, what);
  context.heartbeat({ waits: what });
}

/**
 * Heartbeats with what `details` says then (small: it is for people who watch) until the returned function is called. A
 * local activity has no heartbeats. None is sent at once: it would say nothing that its start has not said, and the
 * server commits each.
 */
export function startHeartbeat(context: Context, details: () => JsonObject): () => void {
  if (context.info.isLocal) return () => undefined;
  const timer = setInterval(() => {
    const what = waits.get(context);
    context.heartbeat({ ...details(), ...(what === undefined ? {} : { waits: what }) });
  }, INTERVAL_MS);
  return () => clearInterval(timer);
}
