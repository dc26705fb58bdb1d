import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import { condition } from '../determinism/condition.js';
import type { Clock } from '../../plan/budget/run-clock.js';
import { count, msLeft, setWorking, uncounted } from '../../plan/budget/run-clock.js';
import { actionAt } from '../../plan/budget/exhaustion.js';
import { WARNED_AT } from '../../plan/budget/ledger.js';
import { quick } from '../activities.js';
import type { RunContext } from '../state/context.js';
import { proceed, setPause, timePause } from './account.js';
import { timeText, warnOfTime } from './limit-text.js';
import { isWorking } from '../state/working.js';

/** A clock is not looked at more often than this. */
const SHORTEST_MS = 250;

/**
 * Keeps the run's clock, where it has one, until the run ends: looks when the time may be over, counts what the alive
 * log says, and ends or pauses the run when it is. While people are waited for no timer runs.
 */
export async function keepClock(context: RunContext): Promise<void> {
  const { clock } = context.account;
  if (clock === null) return;
  for (;;) {
    const upTo = warnsAt(context, clock) ?? clock.limit_ms;
    const left = msLeft(clock, Date.now(), upTo);
    if (left === null) await condition(() => clock.since !== null);
    else if (left > 0) await sleep(Math.max(left, SHORTEST_MS), { summary: 'max_runtime_mins' });
    else {
      const now = Date.now();
      count(clock, await quick.countAlive(uncounted(clock, now)), now);
      if (clock.used_ms < upTo) continue;
      if (upTo < clock.limit_ms) {
        warnOfTime(context.account, clock);
        continue;
      }
      timeIsOver(context);
      const limit = clock.limit_ms;
      await condition(() => clock.limit_ms > limit);
    }
  }
}

/** When most of the time is used, of which people are warned once; null where that is done. */
function warnsAt({ account }: RunContext, { limit_ms }: Clock): number | null {
  const isDone = account.warnings.some(({ limit }) => limit === 'max_runtime_mins');
  return isDone ? null : limit_ms * WARNED_AT;
}

/** Notes whether something other than a person is waited for. */
export function tickClock(context: RunContext): void {
  const { clock } = context.account;
  if (clock !== null) setWorking(clock, isWorking(context), Date.now());
}

/** Starts the clock beside the run; it is stopped with the scope that is returned. */
export function startClockBeside(context: RunContext): CancellationScope {
  const scope = new CancellationScope();
  scope
    .run(() => keepClock(context))
    .catch((error: unknown) => {
      if (isCancellation(error)) return;
      context.runningSteps.broken ??= error;
      context.top.work.cancel();
    });
  return scope;
}

function timeIsOver(context: RunContext): void {
  const { account, top } = context;
  const action = actionAt('max_runtime_mins', account.policy, false);
  if (action === 'pause') {
    // Whatever it is paused for comes first.
    if (account.own.pause === null) setPause(account, timePause(account));
  } else {
    const status = action === 'stop' ? 'partial' : action === 'error' ? 'error' : 'timeout';
    const message = timeText(account);
    account.own = {
      ...account.own,
      stop: { cause: 'max_runtime_mins', status, message: `max_runtime_mins: ${message}` },
    };
    if (status === 'timeout') {
      account.refused += 1;
      top.reason = message;
      top.work.cancel();
    }
  }
  proceed(account);
  account.onChange();
}
