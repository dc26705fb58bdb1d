import { CancellationScope, upsertMemo } from '@temporalio/workflow';
import type { Amounts, Limited } from '../plan/amounts.js';
import type { Nothing } from '../plan/carry.js';
import { ENDLESS, toNanoUsd, toUsd } from '../plan/amounts.js';
import type { Clock } from '../plan/clock.js';
import { startClock } from '../plan/clock.js';
import { actionAt, LIMIT_OF } from '../plan/exhaustion.js';
import type { ExhaustionPolicy } from '../plan/exhaustion.js';
import type { Effect, Ledger } from '../plan/ledger.js';
import {
  acquire,
  carryLedger,
  giveAllBack,
  hearAbove,
  hearBelow,
  openLedger,
  restoreLedger,
  withdraw,
} from '../plan/ledger.js';
import { flow } from '../plan/ledger-flow.js';
import type { LedgerMail, LeftBehind } from '../plan/ledger-mail.js';
import { isLedgerMail } from '../plan/ledger-mail.js';
import { MEMO } from '../plan/names.js';
import type { Budgets, Plan } from '../plan/plan.js';
import type { Charged, RunOutcome } from '../plan/result.js';
import type { CarriedPurse, Lease, RunInput } from '../plan/run-input.js';
import { UNLIMITED } from '../plan/run-input.js';
import type { Climate, Pause, Warning } from '../plan/steering.js';
import { FAIR } from '../plan/steering.js';
import type { MailLine } from './ledger-mail.js';
import { ledgerSignal, openLine } from './ledger-mail.js';
import { neededText } from './ledger-text.js';
import { warnOfLimits } from './ledger-warn.js';
import type { Ears } from './listen.js';
import { listen } from './listen.js';

/** A step that waits until it may start. `need` is asked again when another model is to be called. */
export interface Waiter {
  need: () => Amounts;
  started: boolean;
}

/** One run's hand on the tree's budget: its ledger, those it shares it with, and what holds it back. */
export interface Purse {
  run: string;
  ledger: Ledger;
  policy: ExhaustionPolicy;
  waiters: Map<number, Waiter>;
  /** The line to the run above, and those to nested runs. */
  above: { run: string; line: MailLine } | null;
  below: Map<string, MailLine>;
  /** What nested runs that were cancelled have left behind. */
  left: Map<string, LeftBehind>;
  /** What this run's own limits and steerers say, and what came from above. */
  own: Climate;
  fromAbove: Climate;
  told: Climate;
  clock: Clock | null;
  /** Limits that people were warned of. */
  warnings: Warning[];
  /** Requests that were done. */
  done: string[];
  /** Steps that were skipped because of a stop. */
  refused: number;
  numbers: number;
  /** The run continues as new: what comes now is for the next. */
  isLeaving: boolean;
  /** Told when something changed: steps may start, or may not any more. */
  onChange: () => void;
  /** Told of each pause of this run's own. */
  onPause: (pause: Pause) => void;
}

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

/** What holds in this run: the nearest reason to pause or to stop comes first. */
export function climateOf({ own, fromAbove }: Pick<Purse, 'own' | 'fromAbove'>): Climate {
  return {
    pause: own.pause ?? fromAbove.pause,
    stop: own.stop ?? fromAbove.stop,
    degrade: own.degrade ?? fromAbove.degrade,
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
