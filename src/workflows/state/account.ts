import type { Amounts } from '../../plan/budget/amounts.js';
import type { Clock } from '../../plan/budget/run-clock.js';
import type { ExhaustionPolicy } from '../../plan/budget/exhaustion.js';
import type { LedgerMail, LeftBehind } from '../../plan/budget/lease-messages.js';
import type { QuotaUsed } from '../../plan/budget/quota.js';
import type { Ledger } from '../../plan/budget/ledger.js';
import type { Restrictions, Warning, Pause } from '../../plan/budget/steering.js';

/** One run's hand on the tree's budget: its ledger, those it shares it with, and what holds it back. */
export interface BudgetAccount {
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
  own: Restrictions;
  fromAbove: Restrictions;
  reported: Restrictions;
  clock: Clock | null;
  /** Limits that people were warned of. */
  warnings: Warning[];
  /** The runs above were told that the quota is used up, and have not said yet what happens. */
  isAsking: boolean;
  /** Requests that were done. */
  done: string[];
  /** Steps that were skipped because of a stop. */
  refused: number;
  numbers: number;
  /** The run is being cancelled: it is not paused any more, since nobody would let it go on. */
  isCancelled: boolean;
  /** Why the run around cuts this one off, which it does next; null where nobody said so. */
  cut: string | null;
  /** The run continues as new: what comes now is for the next. */
  isLeaving: boolean;
  /** Told when something changed: steps may start, or may not any more. */
  onChange: () => void;
  /** Told of each pause of this run's own. */
  onPause: (pause: Pause) => void;
  /** Told when such a pause has begun or ended. */
  onPaused: () => void;
  /** Told when a run below found the quota used up. */
  onQuota: (used: QuotaUsed) => void;
}

/** A step that waits until it may start. `need` is asked again when another model is to be called. */
export interface Waiter {
  need: () => Amounts;
  started: boolean;
  /** Told at once when it may start, before its promise is: from then on it is in flight. */
  onStart: () => void;
}

/** What holds in this run: the nearest reason to pause or to stop comes first. */
export function restrictionsOf({ own, fromAbove }: Pick<BudgetAccount, 'own' | 'fromAbove'>): Restrictions {
  const quota = own.quota ?? fromAbove.quota;
  return {
    pause: own.pause ?? fromAbove.pause,
    stop: own.stop ?? fromAbove.stop,
    degrade: own.degrade ?? fromAbove.degrade,
    ...(quota === undefined ? {} : { quota }),
  };
}

/** Sends to one run, one signal after the other: Temporal delivers two that are under way at once in any order. */
export interface MailLine {
  send(mail: LedgerMail): void;
  /** Resolves when all that was sent so far has arrived, or can no more. */
  sent(): Promise<void>;
  /** Tells whether all that was sent has arrived. */
  isIdle(): boolean;
}
