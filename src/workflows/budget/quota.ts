import { CancellationScope, sleep } from '@temporalio/workflow';
import { actionAt } from '../../plan/budget/exhaustion.js';
import type { QuotaTerms, QuotaUsed } from '../../plan/budget/quota.js';
import type { Pause } from '../../plan/budget/steering.js';
import type { BudgetAccount } from '../state/account.js';
import { restrictionsOf } from '../state/account.js';
import type { RunContext } from '../state/context.js';
import { endPause, proceed, reconsider, setPause } from './account.js';

/** What a call is told of the quota that all runs share; absent where there is none. */
export function quotaOf({ settings, account }: RunContext): { quota?: QuotaTerms } {
  const quota = restrictionsOf(account).quota ?? settings.quota;
  return settings.quota === undefined || quota === undefined
    ? {}
    : { quota: { ...quota, user: settings.submitted_by } };
}

/**
 * A call found no room in the quota: what happens is what the policy of the tree says of `max_cost_usd`, and holds for
 * all of it. A pause ends with the day.
 */
export function meetQuota(account: BudgetAccount, used: QuotaUsed): void {
  const { pause, stop, degrade } = restrictionsOf(account);
  if (pause !== null || stop !== null || account.isAsking) return; // What waits already asks again.
  const { message, until } = used;
  const action = actionAt('max_cost_usd', account.policy, degrade !== null);
  if (account.above !== null) {
    account.isAsking = true;
    account.above.line.send({ from: account.run, quota: used });
  } else if (typeof action === 'object') {
    account.own = { ...account.own, degrade: action.degrade };
    reconsider(account);
  } else if (action === 'pause') {
    const since = new Date().toISOString();
    const quotaPause: Pause = { cause: 'quota', run: account.run, message, by: null, since, until };
    setPause(account, quotaPause);
    resumeWhenOver(account, quotaPause);
  } else {
    const status = action === 'stop' ? 'partial' : action;
    account.own = { ...account.own, stop: { cause: 'quota', status, message: `quota: ${message}` } };
  }
  proceed(account);
}

/** Goes on waiting for the end of the day, in a run that has continued as new meanwhile. */
export function waitAgain({ account }: RunContext): void {
  if (account.own.pause !== null) resumeWhenOver(account, account.own.pause);
}

/**
 * Ends a pause for the quota with the day that it counts for, unless somebody ended it before. The timer has no name:
 * no host stays for it.
 */
function resumeWhenOver(account: BudgetAccount, pause: Pause): void {
  if (pause.until === undefined) return;
  const left = Math.max(1, Date.parse(pause.until) - Date.now());
  void new CancellationScope()
    .run(() => sleep(left))
    .then(
      () => {
        if (account.own.pause !== pause) return;
        endPause(account);
        proceed(account);
        account.onChange();
      },
      () => undefined, // the run ends
    );
}
