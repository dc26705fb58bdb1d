import { Context } from '@temporalio/activity';
import { createLruCache } from '../../store/lru-cache.js';
import { startHeartbeat } from './heartbeat.js';

/**
 * How long work that Temporal has given up goes on without a later start that waits for what comes of it: that one
 * follows within 8 s up to the fourth, and a shutdown gives ten.
 */
const LINGER_MS = 8_000;

/** One start of an activity in this process. */
interface Start {
  /** Of Temporal's, tells it from a later start. */
  token: Uint8Array;
  /** Ends what it does. */
  stop: AbortController;
  /** A later start waits for it. */
  isAwaited: boolean;
  /** What it came to; null where that is nothing. */
  ended: Promise<{ result: unknown } | null>;
}

/** Results that are kept: of hardly more activities the server has not heard yet how they ended. */
const KEPT_RESULTS = 500;

/** The latest start of each activity that is under way here. */
const latest = new Map<string, Start>();
/**
 * What activities came to that have ended here: a server whose disk is full takes no result, and starts them again
 * later.
 */
const ended = createLruCache<{ result: unknown }>(KEPT_RESULTS);
const startOf = new WeakMap<Context, Start>();

/**
 * A worker that stood still, on a laptop that slept or behind a network that was away, is taken for lost: Temporal
 * starts its activity again, perhaps in the very process where it is still under way. Here the later start waits until
 * the earlier one has ended, so that nothing is done beside itself. With `patient` the earlier one is given the time to
 * come to its result, which is then the later one's: nothing is paid or done twice (I8). Without, it is ended.
 */
export function singleFlight<C, R>(
  activity: (call: C) => Promise<R>,
  { patient }: { patient: boolean },
): (call: C) => Promise<R> {
  return async (call) => {
    const context = Context.current();
    const key = keyOf(context);
    const same = activityKey(context);
    const earlier = latest.get(key);
    const { start, end } = begin(context, patient);
    latest.set(key, start);
    let came: { result: R } | null = null;
    try {
      const under =
        earlier !== undefined && isOther(earlier, context) ? await takeOver(context, start, earlier, patient) : null;
      const given = under ?? ended.get(same) ?? null;
      // of the same activity
      came = isSame(context) && given !== null ? { result: given.result as R } : { result: await activity(call) };
      if (!context.info.isLocal) ended.set(same, came, 1);
      return came.result;
    } finally {
      end(came);
      if (latest.get(key) === start) latest.delete(key);
    }
  };
}

/**
 * Aborts when what this activity does shall end: with its cancellation, or later where that is only Temporal's giving
 * up.
 */
export function endingSignal(context: Context): AbortSignal {
  return startOf.get(context)?.stop.signal ?? context.cancellationSignal;
}

function begin(context: Context, patient: boolean): { start: Start; end: (came: { result: unknown } | null) => void } {
  const { cancellationSignal: cancelled } = context;
  let resolve = (_came: { result: unknown } | null): void => undefined;
  const ended = new Promise<{ result: unknown } | null>((done) => {
    resolve = done;
  });
  const start: Start = { token: context.info.taskToken, stop: new AbortController(), isAwaited: false, ended };
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => start.stop.abort(cancelled.reason);
  const onCancel = (): void => {
    if (!patient || !isGivenUp(context)) stop();
    else
      timer = setTimeout(() => {
        if (!start.isAwaited) stop();
      }, LINGER_MS);
  };
  if (cancelled.aborted) onCancel();
  else cancelled.addEventListener('abort', onCancel, { once: true });
  startOf.set(context, start);
  const end = (came: { result: unknown } | null): void => {
    clearTimeout(timer);
    cancelled.removeEventListener('abort', onCancel);
    resolve(came);
  };
  return { start, end };
}

async function takeOver(
  context: Context,
  start: Start,
  earlier: Start,
  patient: boolean,
): Promise<{ result: unknown } | null> {
  const { signal } = start.stop;
  const stop = (): void => earlier.stop.abort(signal.reason);
  const stopHeartbeat = startHeartbeat(context, () => ({}));
  earlier.isAwaited = true;
  if (!patient || signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const came = await earlier.ended;
  signal.removeEventListener('abort', stop);
  stopHeartbeat();
  return came;
}

/** Temporal does not wait for it any more; nobody asked it to end. */
function isGivenUp({ cancellationDetails: details }: Context): boolean {
  return (
    details !== undefined &&
    (details.notFound || details.timedOut) &&
    !details.cancelRequested &&
    !details.workerShutdown
  );
}

/** The SDK numbers local activities, and the paths of steps without an id are numbers too. */
function keyOf({ info: { workflowExecution, activityType, activityId, isLocal } }: Context): string {
  return JSON.stringify([workflowExecution?.workflowId, workflowExecution?.runId, activityType, activityId, isLocal]);
}

/** Names an activity whichever start of it Temporal makes; one that the interpreter begins anew is another. */
export function activityKey(context: Context): string {
  const { isLocal, scheduledTimestampMs } = context.info;
  return isLocal ? keyOf(context) : `${keyOf(context)} ${scheduledTimestampMs}`;
}

/** A local activity that is started again goes by the same token. */
function isOther({ token }: Start, { info: { isLocal, taskToken } }: Context): boolean {
  return isLocal || Buffer.compare(token, taskToken) !== 0;
}

/** Temporal tries the same again; what it begins anew, perhaps because a person said so, is done anew. */
function isSame({ info: { attempt } }: Context): boolean {
  return attempt > 1;
}
