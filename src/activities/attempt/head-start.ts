import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { JsonObject } from '../../plan/values/json.js';
import type { Spend } from '../../plan/budget/spend.js';
import { createLruCache } from '../../store/lru-cache.js';
import type { Store } from '../../store/store.js';
import type { StepCall, StepOutput, Working } from '../contract.js';
import { toFailure, withPath } from '../failures.js';
import type { Outside } from './attempt.js';
import { endedBy } from './attempt.js';
import { startHeartbeat } from './heartbeat.js';
import { endingSignal } from './single-start.js';

/** How long the quick steps of one workflow task take at most, all together: meanwhile its run hears of nothing. */
const MOMENT_MS = 900;
/** How long what has ended is kept for the activity that takes it. */
const KEPT_MS = 60_000;
/** So many runs are in a workflow task at once, or hardly more. */
const KEPT_TASKS = 500;

/** A call of a quick step: quick steps of one workflow task, named by the length of its history, share a moment. */
export type QuickCall<C extends StepCall> = C & { task: number };

/** A step that begins within a workflow task, and goes on outside of it where it takes longer. */
export interface HeadStart<C extends StepCall> {
  /** A local activity: gives what the step came to within a moment. Whatever it came to, its failure too, names it. */
  begin: (call: QuickCall<C>) => Promise<StepOutput | Working>;
  /** The usual activity: waits for what has begun in this process, and does the step itself where nothing has. */
  goOn: (call: C) => Promise<StepOutput>;
}

/** What was begun and not taken yet. */
interface Begun {
  ended: Promise<StepOutput>;
  /** Its reason is the failure that the step ends with. */
  stop: AbortController;
  progress: JsonObject;
}

const begun = new Map<string, Begun>();
const tasks = createLruCache<{ task: number; since: number }>(KEPT_TASKS);

/**
 * Lets a step begin in a local activity, which is cheap, while its run hears of everything within a second: a workflow
 * task that waits for a local activity hears of nothing. What takes longer than a moment goes on in this process, and
 * the usual activity takes it from there. So it does with what shall be tried again: Temporal does that. Another
 * process finds in the journal what was answered, and asks what was not once more, as after any loss of a worker.
 */
export function createHeadStart<C extends StepCall>(
  store: Store,
  act: (call: C, outside?: Outside) => Promise<StepOutput>,
): HeadStart<C> {
  return {
    async begin({ task, ...told }) {
      const call = told as unknown as C; // what is left of it
      const context = Context.current();
      const key = keyOf(store, call);
      const one = begun.get(key) ?? open(key, (outside) => act(call, outside));
      try {
        const came = await within(leftOf(context, task), waitFor(one, context.cancellationSignal, context));
        if (came === null) return { working: true };
        begun.delete(key);
        return { ...came, path: call.path };
      } catch (error) {
        if (!context.cancellationSignal.aborted && isPassing(error)) return { working: true };
        begun.delete(key);
        throw error instanceof CancelledFailure
          ? new CancelledFailure(error.message, [{ ...spendOf(error), path: call.path }])
          : withPath(toFailure(error), call.path);
      }
    },
    async goOn(call) {
      const key = keyOf(store, call);
      const one = begun.get(key);
      if (one === undefined) return act(call);
      const context = Context.current();
      const stopHeartbeat = startHeartbeat(context, () => ({ ...one.progress }));
      try {
        return await waitFor(one, endingSignal(context), context);
      } finally {
        stopHeartbeat();
        begun.delete(key);
      }
    },
  };
}

/**
 * Ends what a step has begun and no activity has taken, because its run was cancelled in between. Gives what that has
 * spent; null where there is nothing.
 */
export function createEndBegun(store: Store): (call: StepCall) => Promise<{ spend: Spend | null }> {
  return async (call) => {
    const key = keyOf(store, call);
    const one = begun.get(key);
    if (one === undefined) return { spend: null };
    begun.delete(key);
    one.stop.abort(new CancelledFailure('The step was cancelled.'));
    return one.ended.then(
      ({ spend }) => ({ spend }),
      (error: unknown) => ({ spend: spendOf(error) }),
    );
  };
}

function open(key: string, run: (outside: Outside) => Promise<StepOutput>): Begun {
  const stop = new AbortController();
  const progress: JsonObject = {};
  // `abort` is given nothing else
  const failure = (): Error | null => (stop.signal.aborted ? (stop.signal.reason as Error) : null);
  const one: Begun = { ended: run({ signal: stop.signal, failure, progress }), stop, progress };
  begun.set(key, one);
  const forget = (): void => {
    setTimeout(() => {
      if (begun.get(key) === one) begun.delete(key);
    }, KEPT_MS).unref();
  };
  one.ended.then(forget, forget);
  return one;
}

/** What it comes to; it ends as this activity does. */
async function waitFor({ ended, stop }: Begun, signal: AbortSignal, context: Context): Promise<StepOutput> {
  const end = (): void => stop.abort(endedBy(context));
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await ended;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Null when `ms` have passed before. */
async function within<T>(ms: number, waiting: Promise<T>): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([waiting, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** What is left of the moment that the quick steps of a workflow task have. */
function leftOf({ info: { workflowExecution } }: Context, task: number): number {
  const run = JSON.stringify([workflowExecution?.workflowId, workflowExecution?.runId]);
  const known = tasks.get(run);
  const { since } = known?.task === task ? known : { since: performance.now() };
  tasks.set(run, { task, since }, 1);
  return Math.max(0, MOMENT_MS - (performance.now() - since));
}

/** Temporal tries it again. */
function isPassing(error: unknown): boolean {
  return !(error instanceof CancelledFailure) && toFailure(error).nonRetryable !== true;
}

/** What `attempt` says of what was spent; what was refused for its price says what it needs, and no steps. */
function spendOf(error: unknown): Spend | null {
  const told = error instanceof CancelledFailure || error instanceof ApplicationFailure ? (error.details ?? []) : [];
  const [spend = null] = told as Spend[];
  return spend !== null && 'steps' in spend ? spend : null;
}

function keyOf({ id }: Store, { root, path, try: tried }: StepCall): string {
  return JSON.stringify([id, root.first, path, tried]);
}
