import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { TurnAnswer } from '../../plan/agents/conversation.js';
import type { JsonObject } from '../../plan/values/json.js';
import type { PaidBefore } from '../../plan/budget/paid-before.js';
import { spendOfPaid } from '../../plan/budget/paid-before.js';
import type { Spend } from '../../plan/budget/spend.js';
import { createLruCache } from '../../store/lru-cache.js';
import type { Store } from '../../store/store.js';
import type { StepCall, StepOutput, Working } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { toFailure, withPath } from '../failures.js';
import type { Outside } from './attempt.js';
import { endedBy } from './attempt.js';
import { startHeartbeat } from './heartbeat.js';
import { endingSignal } from './single-start.js';

/** How long what is quick in one workflow task takes at most, all together: meanwhile its run hears of nothing. */
const MOMENT_MS = 900;
/** How long what has ended is kept for the activity that takes it. */
const KEPT_MS = 60_000;
/** So many runs are in a workflow task at once, or hardly more. */
const KEPT_TASKS = 500;

/** A call of a quick step: quick steps of one workflow task, named by the length of its history, share a moment. */
export type QuickCall<C extends StepCall> = C & { task: number };

/** What begins within a workflow task, and goes on outside of it where it takes longer: a step, or a turn of one. */
export interface HeadStart<C extends StepCall, R> {
  /** A local activity: gives what it came to within a moment. Whatever that is, a failure too, names it. */
  begin: (call: QuickCall<C>) => Promise<(R & { path: string }) | Working>;
  /** The usual activity: waits for what has begun in this process, and does it itself where nothing has. */
  goOn: (call: C) => Promise<R>;
}

/** What was begun and not taken yet. */
interface Begun<R = unknown> {
  ended: Promise<R>;
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
 * `nameOf` tells what begins from all else that the run does: its path, unless another is given.
 */
export function createHeadStart<C extends StepCall, R extends object>(
  { store, momentMs = MOMENT_MS }: Pick<Dependencies, 'store' | 'momentMs'>,
  act: (call: C, outside?: Outside) => Promise<R>,
  nameOf: (call: C) => string = ({ path }) => path,
): HeadStart<C, R> {
  const keyFor = (call: C): string => keyOf(store, { ...call, path: nameOf(call) });
  // what is begun by this name is of this kind
  const known = (key: string): Begun<R> | undefined => begun.get(key) as Begun<R> | undefined;
  return {
    async begin({ task, ...told }) {
      const call = told as unknown as C; // what is left of it
      const context = Context.current();
      const path = nameOf(call);
      const key = keyFor(call);
      const one = known(key) ?? open(key, (outside) => act(call, outside));
      try {
        const came = await within(leftOf(momentMs, context, task), waitFor(one, context.cancellationSignal, context));
        if (came === null) return { working: true };
        begun.delete(key);
        return { ...came, path };
      } catch (error) {
        if (!context.cancellationSignal.aborted && isPassing(error)) return { working: true };
        begun.delete(key);
        throw error instanceof CancelledFailure
          ? new CancelledFailure(error.message, [{ ...spendOf(error), path }])
          : withPath(toFailure(error), path);
      }
    },
    async goOn(call) {
      const key = keyFor(call);
      const one = known(key);
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
      (came) => ({ spend: spentFor(came) }),
      (error: unknown) => ({ spend: spendOf(error) }),
    );
  };
}

function open<R>(key: string, run: (outside: Outside) => Promise<R>): Begun<R> {
  const stop = new AbortController();
  const progress: JsonObject = {};
  // `abort` is given nothing else
  const failure = (): Error | null => (stop.signal.aborted ? (stop.signal.reason as Error) : null);
  const one: Begun<R> = { ended: run({ signal: stop.signal, failure, progress }), stop, progress };
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
async function waitFor<R>({ ended, stop }: Begun<R>, signal: AbortSignal, context: Context): Promise<R> {
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

/** What is left of the moment that all that is quick in a workflow task has. */
function leftOf(momentMs: number, { info: { workflowExecution } }: Context, task: number): number {
  const run = JSON.stringify([workflowExecution?.workflowId, workflowExecution?.runId]);
  const known = tasks.get(run);
  const { since } = known?.task === task ? known : { since: performance.now() };
  tasks.set(run, { task, since }, 1);
  return Math.max(0, momentMs - (performance.now() - since));
}

/** Temporal tries it again. */
function isPassing(error: unknown): boolean {
  return !(error instanceof CancelledFailure) && toFailure(error).nonRetryable !== true;
}

/** What `attempt` says of what was spent; what was refused for its price says that beside what it needs. */
function spendOf(error: unknown): Spend | null {
  const told = error instanceof CancelledFailure || error instanceof ApplicationFailure ? (error.details ?? []) : [];
  const [said = null] = told as (Spend & { paid?: PaidBefore })[];
  if (said?.paid !== undefined) return { ...spendOfPaid(said.paid), steps: 1 };
  return said !== null && 'steps' in said ? said : null;
}

/** What a step's output, or a turn's answer, says that it cost. */
function spentFor(came: unknown): Spend | null {
  const { spend, usd, tokens } = came as Partial<StepOutput & TurnAnswer>; // nothing else begins so
  return spend ?? (usd === undefined || tokens === undefined ? null : { usd, tokens, steps: 0 });
}

function keyOf({ id }: Store, { root, path, try: tried }: StepCall): string {
  return JSON.stringify([id, root.first, path, tried]);
}
