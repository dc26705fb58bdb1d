import { CancellationScope, upsertMemo } from '@temporalio/workflow';
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
  hearAbove,
  hearBelow,
  openLedger,
  restoreLedger,
  withdraw,
} from '../../plan/budget/ledger.js';
import { flow } from '../../plan/budget/ledger-flow.js';
import type { LedgerMail } from '../../plan/budget/lease-messages.js';
import { isLedgerMail } from '../../plan/budget/lease-messages.js';
import { MEMO } from '../../plan/names.js';
import type { Plan } from '../../plan/plan.js';
import type { Budgets } from '../../plan/budget/budgets.js';
import type { RunOutcome } from '../../plan/result.js';
import type { Charged } from '../../plan/budget/spend.js';
import type { CarriedPurse, Lease, RunInput } from '../../plan/run-input.js';
import { UNLIMITED } from '../../plan/run-input.js';
import type { Climate, Pause } from '../../plan/budget/steering.js';
import { FAIR } from '../../plan/budget/steering.js';
import { ledgerSignal, openLine } from './lease-messages.js';
import { neededText, warnOfLimits } from './limit-text.js';
import type { Ears } from '../state/early-messages.js';
import { listen } from '../state/early-messages.js';
import type { Purse } from '../state/account.js';
import { climateOf } from '../state/account.js';

/**
 * Opens a run's purse and listens to the other runs of its tree, from the first task on. Runs whose start arguments are
 * of before budgets were held are not limited.
 */
export function openPurse(input: RunInput, identity: { plan: Plan; run: string }, ears: Ears): Purse {
  const { tree, settings, path, carried } = input;
  const purse: Purse = {
    ...(carried?.purse === undefined ? freshParts(input, identity.plan) : restoredParts(carried.purse)),
    run: identity.run,
    policy: path === '' ? (settings.on_exhausted ?? {}) : (identity.plan.on_exhausted ?? {}),
    waiters: new Map(),
    above: tree === undefined ? null : { run: tree.parent, line: openLine(tree.parent, null) },
    below: new Map(),
    left: new Map(),
    told: FAIR,
    numbers: 0,
    isLeaving: false,
    onChange: () => undefined,
    onPause: () => undefined,
  };
  purse.ledger.held = isHeld(purse);
  purse.told = climateOf(purse);
  listen(ears, ledgerSignal, (mail) => {
    if (isLedgerMail(mail)) hear(purse, mail);
  });
  return purse;
}

type Parts = Pick<Purse, 'ledger' | 'own' | 'fromAbove' | 'clock' | 'warnings' | 'done' | 'refused'>;

/**
 * A root owns its lease; a nested run has what it was lent, and what limits its own definition sets. A batch run has
 * what it was lent: its definition's limits are those of the run that started it, and count there.
 */
function freshParts({ lease, tree, root, batch }: RunInput, plan: Plan): Parts {
  const isRoot = root === null;
  const own = isRoot ? lease : tree === undefined || batch !== undefined ? UNLIMITED : leaseOf(plan.budgets);
  return {
    ledger: openLedger(isRoot ? ENDLESS : limitsOf(lease), limitsOf(own)),
    own: FAIR,
    fromAbove: tree?.climate ?? FAIR,
    clock: own.runtime_ms === null ? null : startClock(own.runtime_ms, Date.now()),
    warnings: [],
    done: [],
    refused: 0,
  };
}

function restoredParts({ ledger, above, warnings = [], ...parts }: CarriedPurse): Parts {
  return { ...parts, warnings, ledger: restoreLedger(ledger), fromAbove: above };
}

/** Limits as the arguments of a start. */
export function leaseOf({ max_steps, max_cost_usd, max_tokens, max_parallel, max_runtime_mins }: Budgets): Lease {
  return {
    steps: max_steps,
    usd: max_cost_usd,
    tokens: max_tokens,
    slots: max_parallel,
    runtime_ms: max_runtime_mins === null ? null : Math.round(max_runtime_mins * 60_000),
  };
}

export function limitsOf({ steps, usd, tokens, slots = null }: Lease): Limited {
  return { steps, nanousd: usd === null ? null : toNanoUsd(usd), tokens, slots };
}

/** What of a purse travels when its run continues as new. */
export function carryPurse(purse: Purse): CarriedPurse {
  const {
    ledger,
    own,
    fromAbove,
    done,
    clock,
    refused,
    warnings,
    // Made anew: of the start arguments, or for what is in flight, and nothing is.
    run,
    policy,
    waiters,
    above,
    below,
    left,
    told,
    numbers,
    isLeaving,
    onChange,
    onPause,
    ...forgotten
  } = purse;
  void (forgotten satisfies Nothing);
  return {
    ledger: carryLedger(ledger),
    own,
    above: fromAbove,
    done,
    clock,
    refused,
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

/** Nothing is given to anybody any more, or for the time being. */
function isHeld(purse: Purse): boolean {
  const { pause, stop } = climateOf(purse);
  return pause !== null || stop !== null || purse.isLeaving;
}

/** What was counted against the budget in this run and below. */
export function chargedIn({ ledger: { charged, assumed } }: Purse): Charged {
  const { nanousd, tokens } = assumed;
  return {
    usd: toUsd(charged.nanousd),
    tokens: charged.tokens,
    steps: charged.steps,
    ...(nanousd === 0 && tokens === 0 ? {} : { assumed: { usd: toUsd(nanousd), tokens } }),
  };
}

/** The last word of a cancelled run, which has no result: what it used, and what it did not use goes back. */
export async function leaveTree(purse: Purse, { status, spend }: Pick<RunOutcome, 'status' | 'spend'>): Promise<void> {
  if (status !== 'cancelled' || purse.above === null) return;
  const { line } = purse.above;
  line.send({ from: purse.run, up: giveAllBack(purse.ledger), left: { spend, charged: chargedIn(purse) } });
  await CancellationScope.nonCancellable(() => line.sent());
}

function hear(purse: Purse, mail: LedgerMail): void {
  if ('up' in mail) {
    hearBelow(purse.ledger, mail.from, mail.up);
    if (mail.left !== undefined && purse.below.has(mail.from)) purse.left.set(mail.from, mail.left);
  } else if (mail.from !== purse.above?.run) return;
  else if ('down' in mail) hearAbove(purse.ledger, mail.down);
  else {
    const degrades = mail.climate.degrade !== purse.fromAbove.degrade;
    purse.fromAbove = mail.climate;
    if (degrades) reconsider(purse);
  }
  proceed(purse);
  purse.onChange();
}

/** Does what has become possible, and tells the others. Call it after every change of the ledger or the climate. */
export function proceed(purse: Purse): void {
  purse.ledger.held = isHeld(purse);
  for (const effect of flow(purse.ledger)) act(purse, effect);
  warnOfLimits(purse);
  const climate = climateOf(purse);
  if (isSame(climate, purse.told)) return;
  purse.told = climate;
  for (const line of purse.below.values()) line.send({ from: purse.run, climate });
  purse.onChange();
}

/** Nearly always nothing has changed at all; what came by mail anew may say the same. */
function isSame(a: Climate, b: Climate): boolean {
  return (
    (a.pause === b.pause && a.stop === b.stop && a.degrade === b.degrade) || JSON.stringify(a) === JSON.stringify(b)
  );
}

function act(purse: Purse, effect: Effect): void {
  switch (effect.kind) {
    case 'start': {
      const waiter = purse.waiters.get(effect.id);
      if (waiter !== undefined) waiter.started = true;
      return;
    }
    case 'up':
      return purse.above?.line.send({ from: purse.run, up: effect.message });
    case 'down':
      return purse.below.get(effect.run)?.send({ from: purse.run, down: effect.message });
    case 'exhausted':
      return meetLimit(purse, effect);
  }
}

/** A limit of this run is used up: what its policy says, happens to it and to all that it nests. */
function meetLimit(purse: Purse, effect: Effect & { kind: 'exhausted' }): void {
  if (effect.resource === 'slots') return; // Nobody is stopped by these: they come back.
  const limit = LIMIT_OF[effect.resource];
  const action = actionAt(limit, purse.policy, climateOf(purse).degrade !== null);
  const message = neededText(purse.ledger, effect);
  if (typeof action === 'object') {
    purse.own = { ...purse.own, degrade: action.degrade };
    purse.ledger.exhausted = null;
    // Nested runs hear of it and claim anew.
    purse.ledger.queue = purse.ledger.queue.filter(({ run }) => run === null);
    reconsider(purse);
    return proceed(purse);
  }
  if (action === 'pause')
    setPause(purse, { cause: limit, run: purse.run, message, by: null, since: new Date().toISOString() });
  else
    purse.own = {
      ...purse.own,
      stop: { cause: limit, status: action === 'stop' ? 'partial' : action, message: `${limit}: ${message}` },
    };
}

/** Pauses the run, or lets it go on, and shows it where no worker is needed to see it (decision 5). */
export function setPause(purse: Purse, pause: Pause | null): void {
  if (pause === purse.own.pause) return;
  purse.own = { ...purse.own, pause };
  upsertMemo({ [MEMO.paused]: pause });
  if (pause !== null) purse.onPause(pause);
}

/** Another model is to be called: whoever waits says again what it needs. */
export function reconsider(purse: Purse): void {
  for (const [id, waiter] of purse.waiters) {
    if (waiter.started) continue;
    withdraw(purse.ledger, id);
    acquire(purse.ledger, id, waiter.need());
  }
}
