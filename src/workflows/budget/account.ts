import { CancellationScope, setHandler, upsertMemo } from '@temporalio/workflow';
import type { Limited } from '../../plan/budget/amounts.js';
import type { Nothing } from '../../plan/schedule/carried-schedule.js';
import { ENDLESS, toNanoUsd, toUsd } from '../../plan/budget/amounts.js';
import { startClock } from '../../plan/budget/run-clock.js';
import { actionAt, LIMIT_OF } from '../../plan/budget/exhaustion.js';
import type { Effect } from '../../plan/budget/ledger.js';
import {
  acquire,
  carryLedger,
  giveAllBack,
  receiveFromAbove,
  receiveFromBelow,
  openLedger,
  renewClaim,
  restoreLedger,
  withdraw,
} from '../../plan/budget/ledger.js';
import { flow } from '../../plan/budget/ledger-flow.js';
import type { LedgerMail } from '../../plan/budget/lease-messages.js';
import { isLedgerMail } from '../../plan/budget/lease-messages.js';
import { MEMO } from '../../plan/names.js';
import type { Plan } from '../../plan/plan.js';
import type { RunOutcome } from '../../plan/result.js';
import type { Charged } from '../../plan/budget/spend.js';
import type { CarriedAccount, Lease, RunInput } from '../../plan/run-input.js';
import { leaseOf, UNLIMITED } from '../../plan/run-input.js';
import type { Restrictions, Pause, Stop } from '../../plan/budget/steering.js';
import { NO_RESTRICTIONS } from '../../plan/budget/steering.js';
import { ledgerSignal, openLine } from './lease-messages.js';
import { neededText, timeText, warnOfLimits } from './limit-text.js';
import type { BudgetAccount } from '../state/account.js';
import { restrictionsOf } from '../state/account.js';

/** Opens a run's budget account and listens to the other runs of its tree, from the first task on. */
export function openAccount(input: RunInput, identity: { plan: Plan; run: string }): BudgetAccount {
  const { tree, settings, path, carried } = input;
  const account: BudgetAccount = {
    ...(carried?.purse === undefined ? freshParts(input, identity.plan) : restoredParts(carried.purse)),
    run: identity.run,
    policy: path === '' ? (settings.on_exhausted ?? {}) : (identity.plan.on_exhausted ?? {}),
    waiters: new Map(),
    above: tree === undefined ? null : { run: tree.parent, line: openLine(tree.parent, null) },
    below: new Map(),
    left: new Map(),
    reported: NO_RESTRICTIONS,
    numbers: 0,
    isAsking: false,
    isCancelled: false,
    isLeaving: false,
    onChange: () => undefined,
    onPause: () => undefined,
    onPaused: () => undefined,
    onQuota: () => undefined,
  };
  account.ledger.held = isHeld(account);
  account.reported = restrictionsOf(account);
  setHandler(ledgerSignal, (mail) => {
    if (isLedgerMail(mail)) receive(account, mail);
  });
  return account;
}

type Parts = Pick<BudgetAccount, 'ledger' | 'own' | 'fromAbove' | 'clock' | 'warnings' | 'done' | 'refused' | 'cut'>;

/**
 * A root owns its lease; a nested run has what it was lent, and what limits its own definition sets. A batch run has
 * what it was lent: its definition's limits are those of the run that started it, and count there.
 */
function freshParts({ lease, tree, root, batch }: RunInput, plan: Plan): Parts {
  const isRoot = root === null;
  const own = isRoot ? lease : tree === undefined || batch !== undefined ? UNLIMITED : leaseOf(plan.budgets);
  return {
    ledger: openLedger(isRoot ? ENDLESS : limitsOf(lease), limitsOf(own)),
    own: NO_RESTRICTIONS,
    fromAbove: tree?.climate ?? NO_RESTRICTIONS,
    clock: own.runtime_ms === null ? null : startClock(own.runtime_ms, Date.now()),
    warnings: [],
    done: [],
    refused: 0,
    cut: null,
  };
}

function restoredParts({ ledger, above, warnings = [], cut, ...parts }: CarriedAccount): Parts {
  return { ...parts, warnings, cut: cut ?? null, ledger: restoreLedger(ledger), fromAbove: above };
}

export function limitsOf({ steps, usd, tokens, slots }: Lease): Limited {
  return { steps, nanousd: usd === null ? null : toNanoUsd(usd), tokens, slots };
}

/** What of a budget account travels when its run continues as new. */
export function carryAccount(account: BudgetAccount): CarriedAccount {
  const {
    ledger,
    own,
    fromAbove,
    done,
    clock,
    refused,
    warnings,
    cut,
    // Made anew: of the start arguments, or for what is in flight, and nothing is.
    run,
    policy,
    waiters,
    above,
    below,
    left,
    reported: told,
    numbers,
    isAsking,
    isCancelled,
    isLeaving,
    onChange,
    onPause,
    onPaused,
    onQuota,
    ...forgotten
  } = account;
  void (forgotten satisfies Nothing);
  return {
    ledger: carryLedger(ledger),
    own,
    above: fromAbove,
    done,
    clock,
    refused,
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(cut === null ? {} : { cut }),
  };
}

/** Nothing is given to anybody any more, or for the time being. */
function isHeld(account: BudgetAccount): boolean {
  const { pause, stop } = restrictionsOf(account);
  return pause !== null || stop !== null || account.isAsking || account.isLeaving;
}

/** What was counted against the budget in this run and below. */
export function chargedIn({ ledger: { charged, assumed } }: BudgetAccount): Charged {
  const { nanousd, tokens } = assumed;
  return {
    usd: toUsd(charged.nanousd),
    tokens: charged.tokens,
    steps: charged.steps,
    ...(nanousd === 0 && tokens === 0 ? {} : { assumed: { usd: toUsd(nanousd), tokens } }),
  };
}

/** The last word of a cancelled run, which has no result: what it used, and what it did not use goes back. */
export async function leaveTree(
  account: BudgetAccount,
  { status, spend }: Pick<RunOutcome, 'status' | 'spend'>,
): Promise<void> {
  if (status !== 'cancelled' || account.above === null) return;
  const { line } = account.above;
  line.send({ from: account.run, up: giveAllBack(account.ledger), left: { spend, charged: chargedIn(account) } });
  await CancellationScope.nonCancellable(() => line.sent());
}

function receive(account: BudgetAccount, mail: LedgerMail): void {
  if ('up' in mail) {
    receiveFromBelow(account.ledger, mail.from, mail.up);
    if (mail.left !== undefined && account.below.has(mail.from)) account.left.set(mail.from, mail.left);
  } else if ('quota' in mail) {
    if (account.below.has(mail.from)) account.onQuota(mail.quota);
  } else if (mail.from !== account.above?.run) return;
  else if ('cut' in mail) account.cut = mail.cut;
  else if ('down' in mail) receiveFromAbove(account.ledger, mail.down);
  else {
    const degrades = mail.climate.degrade !== account.fromAbove.degrade;
    account.fromAbove = mail.climate;
    account.isAsking = false;
    if (degrades) reconsider(account);
  }
  proceed(account);
  account.onChange();
}

/**
 * Does what has become possible, and tells the others. Call it after every change of the ledger or of what restricts
 * the run.
 */
export function proceed(account: BudgetAccount): void {
  account.ledger.held = isHeld(account);
  for (const effect of flow(account.ledger)) act(account, effect);
  warnOfLimits(account);
  const restrictions = restrictionsOf(account);
  if (isSame(restrictions, account.reported)) return;
  account.reported = restrictions;
  for (const line of account.below.values()) line.send({ from: account.run, climate: restrictions });
  account.onChange();
}

/** Nearly always nothing has changed at all; what came by mail anew may say the same. */
function isSame(a: Restrictions, b: Restrictions): boolean {
  return (
    (a.pause === b.pause && a.stop === b.stop && a.degrade === b.degrade && a.quota === b.quota) ||
    JSON.stringify(a) === JSON.stringify(b)
  );
}

function act(account: BudgetAccount, effect: Effect): void {
  switch (effect.kind) {
    case 'start': {
      const waiter = account.waiters.get(effect.id);
      if (waiter === undefined) return;
      waiter.started = true;
      return waiter.onStart();
    }
    case 'up':
      return account.above?.line.send({ from: account.run, up: effect.message });
    case 'down':
      return account.below.get(effect.run)?.send({ from: account.run, down: effect.message });
    case 'exhausted':
      return meetLimit(account, effect);
  }
}

/** A limit of this run is used up: what its policy says, happens to it and to all that it nests. */
function meetLimit(account: BudgetAccount, effect: Effect & { kind: 'exhausted' }): void {
  if (effect.resource === 'slots') return; // Nobody is stopped by these: they come back.
  const limit = LIMIT_OF[effect.resource];
  const action = actionAt(limit, account.policy, restrictionsOf(account).degrade !== null);
  const message = neededText(account.ledger, effect);
  if (typeof action === 'object') {
    account.own = { ...account.own, degrade: action.degrade };
    account.ledger.exhausted = null;
    reconsider(account);
    return proceed(account);
  }
  if (action === 'pause')
    setPause(account, { cause: limit, run: account.run, message, by: null, since: new Date().toISOString() });
  else
    account.own = {
      ...account.own,
      stop: { cause: limit, status: action === 'stop' ? 'partial' : action, message: `${limit}: ${message}` },
    };
}

/** Pauses the run, or lets it go on, and shows it where no worker is needed to see it (decision 5). */
export function setPause(account: BudgetAccount, pause: Pause | null): void {
  if (pause !== null && account.isCancelled) return stopRun(account, cancelStop(account));
  if (pause === account.own.pause) return;
  account.own = { ...account.own, pause };
  upsertMemo({ [MEMO.paused]: pause });
  account.onPaused();
  if (pause !== null) account.onPause(pause);
}

/** Says that the run is being cancelled: a pause that holds it, or would from now on, is a stop. */
export function cancelAccount(account: BudgetAccount): void {
  account.isCancelled = true;
  if (restrictionsOf(account).pause === null) return;
  stopRun(account, cancelStop(account));
  proceed(account);
  account.onChange();
}

function cancelStop({ cut }: BudgetAccount): Stop {
  return { cause: 'cancel', status: 'partial', message: cut ?? 'the run was cancelled' };
}

/** Has the run start nothing new but what clears up; the first reason stays. A pause ends. */
export function stopRun(account: BudgetAccount, stop: Stop): void {
  if (account.own.stop === null) account.own = { ...account.own, stop };
  setPause(account, null);
}

/** Ends what the run is paused for; it stays paused where its time was found over meanwhile, and pauses it. */
export function endPause(account: BudgetAccount): void {
  const { clock, policy } = account;
  const isOver = clock !== null && clock.used_ms >= clock.limit_ms;
  setPause(account, isOver && actionAt('max_runtime_mins', policy, false) === 'pause' ? timePause(account) : null);
}

/** The pause of a run whose time is over. */
export function timePause(account: BudgetAccount): Pause {
  const { run } = account;
  const since = new Date().toISOString();
  return { cause: 'max_runtime_mins', run, message: timeText(account), by: null, since };
}

/** Another model is to be called: whoever waits says again what it needs, here and above. */
export function reconsider(account: BudgetAccount): void {
  const { ledger, reported } = account;
  renewClaim(ledger);
  // Nested runs hear of it and claim anew.
  if (restrictionsOf(account).degrade !== reported.degrade)
    ledger.queue = ledger.queue.filter(({ run }) => run === null);
  for (const [id, waiter] of account.waiters) {
    if (waiter.started) continue;
    withdraw(account.ledger, id);
    acquire(account.ledger, id, waiter.need());
  }
}
