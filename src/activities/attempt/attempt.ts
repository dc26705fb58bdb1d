import { Context } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { toNanoUsd } from '../../plan/budget/amounts.js';
import type { PaidBefore } from '../../plan/budget/paid-before.js';
import { isUnasked } from '../../plan/failure.js';
import type { JsonObject } from '../../plan/values/json.js';
import type { Spend } from '../../plan/budget/spend.js';
import type { Step } from '../../plan/step.js';
import type { StepKind } from '../../plan/names.js';
import { movedRoot } from '../../store/folders/root.js';
import type { Store } from '../../store/store.js';
import type { LogWriter } from '../../store/logs/line.js';
import type { Account } from './account.js';
import { countedIn, openAccount, spentIn } from './account.js';
import type { StepCall, StepOutput } from '../contract.js';
import { stepFailure, toFailure, workerLost } from '../failures.js';
import { startHeartbeat } from './heartbeat.js';
import { measure } from './measure.js';
import { isByItself, noteOutside } from './outside-effects.js';
import { failureType } from './traced-call.js';
import type { LoadedStep } from '../values/load-step.js';
import { loadStep } from '../values/load-step.js';
import { leftToWrite } from './left-to-write.js';
import { endingSignal } from './single-start.js';
import type { TimeLimit } from './time-limit.js';
import { startTimeLimit } from './time-limit.js';

/** What an acting activity works with while it acts. */
export interface Attempt<S extends Step = Step> extends LoadedStep<S> {
  /** Aborts on cancellation, on shutdown of the worker, and when the step's time is over. */
  signal: AbortSignal;
  log: LogWriter;
  /** What the next heartbeats tell people who watch; small. */
  progress: JsonObject;
  /** What was paid for so far. */
  account: Account;
}

/** From where an attempt is ended that is not its activity's own, and told of how it goes on. */
export interface Outside {
  signal: AbortSignal;
  /** How it ended from outside; null where it did not. */
  failure: () => Error | null;
  progress: JsonObject;
}

/**
 * Does what every acting activity does around its effect: finds the step, opens its log, heartbeats, bounds the time,
 * and reports how it ended. Cancellation leaves as it came (I9), a shutdown as something to start again. Both come from
 * the activity, unless `outside` says from where.
 */
export async function attempt<K extends StepKind, R = StepOutput>(
  store: Store,
  call: StepCall & { limit_ms?: number; outside?: Outside | undefined; paid?: PaidBefore },
  kind: K,
  act: (attempt: Attempt<Extract<Step, { kind: K }>>) => Promise<R>,
): Promise<R> {
  const context = Context.current();
  const { signal: ending, failure: cut, progress } = call.outside ?? ownOf(context);
  const account = openAccount(call.paid ?? null);
  const stopHeartbeat = startHeartbeat(context, () => ({ ...progress }));
  let limit: TimeLimit | null = null;
  let step: Step | null = null;
  try {
    const left = leftToWrite<R>();
    if (left !== null) return await left();
    const loaded = await loadStep(store, call, kind);
    step = loaded.step;
    // A turn of a conversation has what those before it have left of the step's time.
    limit = startTimeLimit(ending, call.limit_ms ?? step.timeout_ms);
    const { signal } = limit;
    signal.throwIfAborted();
    await noteOutside(store, call, step, 'begun');
    const result = await withLog(store, call, (log) => act({ ...loaded, signal, log, progress, account }));
    tellTry(call, kind, null);
    return result;
  } catch (error) {
    // What a step misses that lost its folder on the way says nothing of the step.
    const moved = store.folder === null ? null : movedRoot(store.folder);
    const failure = failureOf(moved ?? error, {
      cut: cut(),
      exceededMs: limit?.isOver() === true ? (step?.timeout_ms ?? 0) : null,
    });
    tellTry(call, kind, failure);
    // What cannot be noted counts as what may have happened.
    if (step !== null && isByItself(failure)) await noteOutside(store, call, step, 'failed').catch(() => undefined);
    throw withSpend(failure, account);
  } finally {
    limit?.release();
    stopHeartbeat();
  }
}

/** Tells whoever counts how a try ended. */
function tellTry({ try: tried }: StepCall, kind: StepKind, failure: Error | null): void {
  const again = Context.current().info.attempt > 1 ? 'temporal' : tried > 1 ? 'interpreter' : null;
  measure((measures) => measures.tried(kind, { failure: failure === null ? null : failureType(failure), again }));
}

async function withLog<R>(store: Store, call: StepCall, act: (log: LogWriter) => Promise<R>): Promise<R> {
  const log = store.openLog(call.root.run, call.path);
  const { attempt: started } = Context.current().info;
  if (call.try > 1 || started > 1)
    log.write('note', started > 1 ? `try ${call.try}, started ${started} times` : `try ${call.try}`);
  try {
    return await act(log);
  } finally {
    // How the step ended is worth more than that its log could not be kept: what is done would be done again.
    await log.close().catch((error: unknown) => {
      Context.current().log.warn(`the log of ${call.path} is not whole: ${String(error)}`);
    });
  }
}

function ownOf(context: Context): Outside {
  return {
    signal: endingSignal(context),
    failure: () => (context.cancellationSignal.aborted ? endedBy(context) : null),
    progress: {},
  };
}

/** The failure of what an activity ends that was cancelled, or whose worker shuts down. */
export function endedBy({ cancellationSignal, cancellationDetails }: Context): Error {
  if (cancellationDetails?.workerShutdown === true) return workerLost();
  const reason: unknown = cancellationSignal.reason;
  return reason instanceof CancelledFailure ? reason : new CancelledFailure('The step was cancelled.');
}

/** How an attempt that threw has ended. `exceededMs` is the step's time limit when that is over. */
function failureOf(error: unknown, { cut, exceededMs }: { cut: Error | null; exceededMs: number | null }): Error {
  if (cut !== null) return cut;
  if (exceededMs !== null)
    return stepFailure('timeout', `The step did not end within its time limit of ${exceededMs / 1000} s.`);
  return toFailure(error);
}

/**
 * What an attempt was paid for counts however it ended: each failure and a cancellation carry it as their detail, one
 * that Temporal would try again as well, since a cancellation may come before that. What was refused for its price says
 * it beside what it needs.
 */
function withSpend(error: Error, account: Account): Error {
  const spent = spentIn(account);
  if (spent.tokens === 0 && (spent.usd === null || toNanoUsd(spent.usd) === 0)) return error;
  const detail: Spend = { ...spent, steps: 1 };
  if (error instanceof CancelledFailure) return new CancelledFailure(error.message, [detail]);
  if (!(error instanceof ApplicationFailure)) return error;
  const { type, message, nonRetryable, details } = error;
  // `stepFailure` sets numbers only.
  const delayMs = typeof error.nextRetryDelay === 'number' ? error.nextRetryDelay : null;
  return ApplicationFailure.create({
    type: type ?? 'internal',
    message,
    nonRetryable: nonRetryable === true,
    // One that was not asked says what it needs.
    details: isUnasked(type) ? [{ ...(details?.[0] as object), paid: paidNow(account, spent) }] : [detail],
    ...(delayMs === null ? {} : { nextRetryDelay: delayMs }),
  });
}

function paidNow(account: Account, { usd, tokens }: Spend): PaidBefore {
  const { scheduledTimestampMs, attempt: started } = Context.current().info;
  return {
    usd,
    tokens,
    counted: countedIn(account).usd,
    ms: Math.max(0, Date.now() - scheduledTimestampMs),
    waits: started - 1,
  };
}
