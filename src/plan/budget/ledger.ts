import type { Amounts, Limited, Resource } from './amounts.js';
import { NONE, RESOURCES, amounts, isNone, limited, minus, plus, sum } from './amounts.js';

/** From a run to the one that lent to it. `seen` is the number of the last grant that had come. */
export type Upward =
  /**
   * Asks for `want` as a whole, would use `like`, and gives `back` meanwhile what it has of what it asks for. An empty
   * `want` takes the claim back.
   */
  | { kind: 'claim'; seq: number; want: Amounts; like: Amounts; back: Amounts; busy: Resource[]; seen: number }
  /** Gives back. Of what was recalled, `done` has come in full, `busy` may still come, `final` will not. */
  | { kind: 'release'; back: Amounts; done: Resource[]; busy: Resource[]; final: Resource[]; seen: number };

/** From a run to one that it lent to. Grants are numbered for each receiver from 1. */
export type Downward =
  { kind: 'grant'; seq: number; claim: number; amounts: Amounts } | { kind: 'recall'; want: Amounts };

/** What the caller has to do after something happened to a ledger. */
export type Effect =
  | { kind: 'start'; id: number }
  | { kind: 'up'; message: Upward }
  | { kind: 'down'; run: string; message: Downward }
  /**
   * This run is the owner of a limit that holds back whoever is first in the queue, and nothing will come back by
   * itself.
   */
  | { kind: 'exhausted'; resource: Resource; need: number; left: number };

/**
 * Whether a child was asked to give back, and what it said: `busy` may give more when what it does has ended, `final`
 * has nothing.
 */
export type RecallState = 'none' | 'asked' | 'busy' | 'final';

export interface Borrower {
  /** What it was given and has not given back: unused, in use or used. */
  lent: Amounts;
  recall: Record<Resource, RecallState>;
  grants: number;
}

/** Who waits: a step of this run (`run` null, `id` the caller's), or a nested run (`id` its claim's number). */
export interface Entry {
  run: string | null;
  id: number;
  need: Amounts;
  like: Amounts;
}

/**
 * One run's part of the tree's budget (decision 2), pure. What a run holds came from above (`drawn`) and is unused
 * (`cash`), reserved for what runs now, used for good (`charged`), or lent to nested runs: of each limited resource
 * drawn = cash + reserved + charged + lent, always. Only an owner makes new cash: the root, or a run with a limit of
 * its own where nothing above is limited.
 */
export interface Ledger {
  cash: Limited;
  drawn: Amounts;
  /** What this run's own limits let it draw in all; null is no limit of its own. */
  cap: Limited;
  /** Whether more can be claimed from above. */
  above: Record<Resource, boolean>;
  reserved: Map<number, Amounts>;
  charged: Amounts;
  /**
   * What of it was reserved for work of which nobody knows what it has cost: it counts as used, and may not have been.
   */
  assumed: Amounts;
  borrowers: Map<string, Borrower>;
  queue: Entry[];
  /** The one claim that is on its way or waits above. */
  claim: { seq: number; run: string | null; id: number } | null;
  claims: number;
  /** Number of the last grant that came. */
  seen: number;
  /** What was recalled and not given back; the run's own steps go first. */
  owed: Amounts;
  /** Resources of which the run above knows that more may come. */
  told: Set<Resource>;
  /** Nothing is given to anybody: the run is paused. */
  held: boolean;
  /** The limit that was found used up, until it is raised. */
  exhausted: Resource | null;
}

/** What is carried over when a run continues as new: then nothing is reserved, lent or waited for (I12). */
export type CarriedLedger = Pick<
  Ledger,
  'cash' | 'drawn' | 'cap' | 'above' | 'charged' | 'claims' | 'seen' | 'owed'
> & { /** Absent for nothing. */ assumed?: Amounts };

/**
 * A ledger at a run's start. `lease` is what came with its start arguments, null where nothing above is limited; `own`
 * are its own limits. A root's lease is null everywhere, so that it owns all its limits.
 */
export function openLedger(lease: Limited, own: Limited): Ledger {
  const cash = limited((resource) => lease[resource] ?? own[resource]);
  return {
    cash,
    drawn: amounts((resource) => cash[resource] ?? 0),
    cap: own,
    above: {
      steps: lease.steps !== null,
      nanousd: lease.nanousd !== null,
      tokens: lease.tokens !== null,
      slots: lease.slots !== null,
    },
    charged: NONE,
    assumed: NONE,
    claims: 0,
    seen: 0,
    owed: NONE,
    ...idle(),
  };
}

function idle(): Omit<Ledger, keyof CarriedLedger> {
  return {
    reserved: new Map(),
    borrowers: new Map(),
    queue: [],
    claim: null,
    told: new Set(),
    held: false,
    exhausted: null,
  };
}

/**
 * What of a ledger travels. What is still reserved counts as used: only gates are open then, which reserve nothing
 * anew.
 */
export function carryLedger(ledger: Ledger): CarriedLedger {
  const { cash, drawn, cap, above, charged, reserved, assumed, claims, seen, owed } = ledger;
  return {
    cash,
    drawn,
    cap,
    above,
    charged: sum([charged, ...reserved.values()]),
    claims,
    seen,
    owed,
    ...(isNone(assumed) ? {} : { assumed }),
  };
}

export function restoreLedger(carried: CarriedLedger): Ledger {
  return { assumed: NONE, ...carried, ...idle() };
}

/** A step of this run wants to start. It may as soon as `start` names it. */
export function acquire(ledger: Ledger, id: number, need: Amounts): void {
  ledger.queue.push({ run: null, id, need, like: NONE });
}

/** A step does not want to start any more. */
export function withdraw(ledger: Ledger, id: number): void {
  ledger.queue = ledger.queue.filter((entry) => entry.run !== null || entry.id !== id);
}

/** No entry has this number. */
const NOBODY = -1;

/** The run above has forgotten what was claimed: who waits claims anew. */
export function renewClaim(ledger: Ledger): void {
  if (ledger.claim !== null) ledger.claim = { ...ledger.claim, run: null, id: NOBODY };
}

/**
 * What was reserved has ended, and used so much, of which `assumed` is what nobody knows. More than was reserved is a
 * debt that the next cash pays.
 */
export function settle(ledger: Ledger, id: number, used: Amounts, assumed: Amounts = NONE): void {
  const reserved = ledger.reserved.get(id);
  if (reserved === undefined) return;
  ledger.reserved.delete(id);
  ledger.charged = plus(ledger.charged, used);
  ledger.assumed = plus(ledger.assumed, assumed);
  pay(ledger, minus(reserved, used));
}

/** A nested run is about to start: what it is lent at once, of `need` as much as there is. */
export function lend(ledger: Ledger, run: string, need: Amounts): Limited {
  const given = amounts((resource) =>
    ledger.queue.length > 0 || ledger.held ? 0 : Math.max(0, Math.min(need[resource], ledger.cash[resource] ?? 0)),
  );
  pay(ledger, minus(NONE, given));
  ledger.borrowers.set(run, { lent: given, recall: freshRecall(), grants: 0 });
  return limited((resource) => (ledger.cash[resource] === null ? null : given[resource]));
}

/**
 * A nested run has ended and used so much, of which `assumed` is what nobody knows; null when nobody can say anything:
 * then all that it still had.
 */
export function collect(ledger: Ledger, run: string, used: Amounts | null, assumed: Amounts = NONE): void {
  const borrower = ledger.borrowers.get(run);
  if (borrower === undefined) return;
  ledger.borrowers.delete(run);
  ledger.queue = ledger.queue.filter((entry) => entry.run !== run);
  const charged = { ...(used ?? borrower.lent), slots: 0 };
  ledger.charged = plus(ledger.charged, charged);
  ledger.assumed = plus(ledger.assumed, used === null ? charged : assumed);
  pay(ledger, minus(borrower.lent, charged));
}

/** The limit that this run owns is raised. False when it has none of this resource. */
export function raise(ledger: Ledger, resource: Resource, by: number): boolean {
  const cap = ledger.cap[resource];
  if (cap === null) return false;
  ledger.cap[resource] = cap + by;
  if (!ledger.above[resource]) {
    ledger.drawn[resource] += by;
    pay(
      ledger,
      amounts((each) => (each === resource ? by : 0)),
    );
  }
  ledger.exhausted = null;
  return true;
}

/** A nested run says something. Runs that are not lent to are not listened to. */
export function receiveFromBelow(ledger: Ledger, run: string, message: Upward): void {
  const borrower = ledger.borrowers.get(run);
  if (borrower === undefined) return;
  const back = amounts((resource) => Math.min(message.back[resource], borrower.lent[resource]));
  borrower.lent = minus(borrower.lent, back);
  pay(ledger, back);
  const isFresh = message.seen === borrower.grants;
  if (message.kind === 'release') {
    if (isFresh)
      for (const state of ['done', 'busy', 'final'] as const)
        for (const resource of message[state]) borrower.recall[resource] = state === 'done' ? 'none' : state;
    return;
  }
  ledger.queue = ledger.queue.filter((entry) => entry.run !== run);
  if (isNone(message.want)) return;
  // It has just given back all that it has of these.
  if (isFresh)
    for (const resource of RESOURCES)
      if (message.want[resource] > 0) borrower.recall[resource] = message.busy.includes(resource) ? 'busy' : 'final';
  ledger.queue.push({ run, id: message.seq, need: message.want, like: message.like });
}

/** The run above says something. A grant that came before is not taken twice. */
export function receiveFromAbove(ledger: Ledger, message: Downward): void {
  if (message.kind === 'recall') {
    ledger.owed = amounts((resource) =>
      ledger.above[resource] ? Math.max(ledger.owed[resource], message.want[resource]) : 0,
    );
    for (const resource of RESOURCES) if (message.want[resource] > 0) ledger.told.delete(resource);
    return;
  }
  if (message.seq <= ledger.seen) return;
  ledger.seen = message.seq;
  ledger.owed = NONE;
  ledger.told.clear();
  if (ledger.claim?.seq === message.claim) ledger.claim = null;
  ledger.drawn = plus(ledger.drawn, message.amounts);
  pay(ledger, message.amounts);
}

/** Unused cash as it goes back with the last message of a run that has no result to say what it used. */
export function giveAllBack(ledger: Ledger): Upward {
  const back = amounts((resource) => (ledger.above[resource] ? Math.max(0, ledger.cash[resource] ?? 0) : 0));
  giveBack(ledger, back);
  return { kind: 'release', back, done: [], busy: [], final: [], seen: ledger.seen };
}

/** Takes `back` out of the cash and of what was drawn. */
export function giveBack(ledger: Ledger, back: Amounts): void {
  ledger.drawn = minus(ledger.drawn, back);
  pay(ledger, minus(NONE, back));
}

/** Adds to the cash of what is limited; negative amounts take from it. */
export function pay(ledger: Ledger, by: Amounts): void {
  ledger.cash = limited((resource) => {
    const cash = ledger.cash[resource];
    return cash === null ? null : cash + by[resource];
  });
}

export function freshRecall(): Borrower['recall'] {
  return { steps: 'none', nanousd: 'none', tokens: 'none', slots: 'none' };
}

/** From this part of a limit on people are warned. */
export const WARNED_AT = 0.8;

/** The limits of this run's own of which most is used for good: what is only reserved or lent may come back. */
export function nearlyUsed({ cap, charged }: Pick<Ledger, 'cap' | 'charged'>): Exclude<Resource, 'slots'>[] {
  return (['steps', 'nanousd', 'tokens'] as const).filter((resource) => {
    const limit = cap[resource];
    return limit !== null && charged[resource] > 0 && charged[resource] >= limit * WARNED_AT;
  });
}

/** What of this run's own limits is not used for good; null where it has none. */
export function unusedOf({ cap, charged }: Pick<Ledger, 'cap' | 'charged'>): Limited {
  return limited((resource) => {
    const limit = cap[resource];
    return limit === null ? null : Math.max(0, limit - charged[resource]);
  });
}
