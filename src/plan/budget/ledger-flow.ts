import type { Amounts, Resource } from './amounts.js';
import { NONE, RESOURCES, amounts, isNone, minus, plus, sum } from './amounts.js';
import type { Effect, Entry, Ledger } from './ledger.js';
import { freshRecall, giveBack, pay } from './ledger.js';

/**
 * Lets everything happen that can, after whatever happened to a ledger: gives cash to who waits, first come first
 * served; what is missing is recalled from nested runs, then claimed from above; a limit of this run's own that
 * holds somebody back is told once nothing can come back by itself. Last, what was recalled from here is given back.
 */
export function flow(ledger: Ledger): Effect[] {
  const effects: Effect[] = [];
  if (!ledger.held && ledger.exhausted === null) {
    const waiting = serve(ledger, effects);
    if (waiting.length > 0) seek(ledger, waiting, effects);
  }
  dropClaim(ledger, effects);
  report(ledger, effects);
  return effects;
}

/** Serves the queue and gives who still waits. One who lacks a resource keeps those behind from it, not from others. */
function serve(ledger: Ledger, effects: Effect[]): Entry[] {
  const lacked = new Set<Resource>();
  const granted: { run: string; id: number; given: Amounts; like: Amounts }[] = [];
  const waiting: Entry[] = [];
  for (const entry of ledger.queue) {
    const lacking = lackedBy(ledger, entry);
    if (lacking.length > 0 || RESOURCES.some((resource) => entry.need[resource] > 0 && lacked.has(resource))) {
      for (const resource of lacking) lacked.add(resource);
      waiting.push(entry);
      continue;
    }
    const given = limitedPart(ledger, entry.need);
    pay(ledger, minus(NONE, given));
    if (entry.run === null) {
      ledger.reserved.set(entry.id, given);
      effects.push({ kind: 'start', id: entry.id });
    } else granted.push({ run: entry.run, id: entry.id, given, like: entry.like });
  }
  ledger.queue = waiting;
  for (const grant of granted) sendGrant(ledger, grant, lacked, effects);
  return waiting;
}

/** What a borrower would like beyond what it needs it gets only where nobody waits for it. */
function sendGrant(
  ledger: Ledger,
  { run, id, given, like }: { run: string; id: number; given: Amounts; like: Amounts },
  lacked: Set<Resource>,
  effects: Effect[],
): void {
  const borrower = ledger.borrowers.get(run);
  if (borrower === undefined) return;
  const more = amounts((resource) =>
    lacked.has(resource) ? 0 : Math.max(0, Math.min(like[resource], ledger.cash[resource] ?? 0)),
  );
  pay(ledger, minus(NONE, more));
  borrower.lent = plus(borrower.lent, plus(given, more));
  borrower.grants += 1;
  borrower.recall = freshRecall();
  effects.push({
    kind: 'down',
    run,
    message: { kind: 'grant', seq: borrower.grants, claim: id, amounts: plus(given, more) },
  });
}

function seek(ledger: Ledger, waiting: Entry[], effects: Effect[]): void {
  const wanted = sum(waiting.map(({ need }) => need));
  const deficit = amounts((resource) => Math.max(0, wanted[resource] - (ledger.cash[resource] ?? Infinity)));
  recallBelow(ledger, deficit, effects);
  for (const entry of waiting) {
    const lacking = lackedBy(ledger, entry);
    if (lacking.length === 0 || lacking.some((resource) => isAsked(ledger, resource))) continue;
    const own = lacking.find((resource) => !canClaim(ledger, resource, entry.need[resource]));
    if (own === undefined) {
      claimAbove(ledger, entry, waiting, effects);
      return;
    }
    if (own !== 'slots' && !mayReturn(ledger, own)) {
      ledger.exhausted = own;
      effects.push({
        kind: 'exhausted',
        resource: own,
        need: entry.need[own],
        left: Math.max(0, ledger.cash[own] ?? 0),
      });
      return;
    }
  }
}

function recallBelow(ledger: Ledger, deficit: Amounts, effects: Effect[]): void {
  for (const [run, borrower] of ledger.borrowers) {
    const want = amounts((resource) =>
      borrower.recall[resource] === 'none' && borrower.lent[resource] > 0 ? deficit[resource] : 0,
    );
    if (isNone(want)) continue;
    for (const resource of RESOURCES) if (want[resource] > 0) borrower.recall[resource] = 'asked';
    effects.push({ kind: 'down', run, message: { kind: 'recall', want } });
  }
}

/**
 * Claims all that one entry needs at once, so that a grant is never too little to be of use, and gives back its
 * beginnings.
 */
function claimAbove(ledger: Ledger, entry: Entry, waiting: Entry[], effects: Effect[]): void {
  if (ledger.claim !== null) return;
  const want = amounts((resource) => (ledger.above[resource] ? entry.need[resource] : 0));
  const back = amounts((resource) => (want[resource] > 0 ? Math.max(0, ledger.cash[resource] ?? 0) : 0));
  giveBack(ledger, back);
  const others = minus(sum(waiting.map(({ need }) => need)), entry.need);
  const like = amounts((resource) =>
    want[resource] === 0
      ? 0
      : Math.min(
          others[resource] + Math.max(0, back[resource] - want[resource]),
          room(ledger, resource) - want[resource],
        ),
  );
  ledger.claims += 1;
  ledger.claim = { seq: ledger.claims, run: entry.run, id: entry.id };
  const asked = RESOURCES.filter((resource) => want[resource] > 0);
  const busy = asked.filter((resource) => mayReturn(ledger, resource));
  // The claim says what an answer to a recall would; what comes back later is told as if it had been recalled.
  ledger.owed = amounts((resource) => (busy.includes(resource) ? Number.MAX_SAFE_INTEGER : ledger.owed[resource]));
  for (const resource of busy) ledger.told.add(resource);
  effects.push({
    kind: 'up',
    message: { kind: 'claim', seq: ledger.claims, want, like, back, busy, seen: ledger.seen },
  });
}

/** A claim whose entry waits no more is taken back; whoever waits then makes a new one. */
function dropClaim(ledger: Ledger, effects: Effect[]): void {
  const { claim } = ledger;
  if (claim === null || ledger.queue.some(({ run, id }) => run === claim.run && id === claim.id)) return;
  ledger.claim = null;
  const waiting = ledger.held || ledger.exhausted !== null ? [] : ledger.queue;
  if (waiting.length > 0) seek(ledger, waiting, effects);
  if (ledger.claim !== null) return;
  ledger.claims += 1;
  effects.push({
    kind: 'up',
    message: { kind: 'claim', seq: ledger.claims, want: NONE, like: NONE, back: NONE, busy: [], seen: ledger.seen },
  });
}

/** Gives back what was recalled, as it becomes free, and says whether more will come. */
function report(ledger: Ledger, effects: Effect[]): void {
  if (isNone(ledger.owed)) return;
  const back = amounts((resource) => Math.max(0, Math.min(ledger.owed[resource], ledger.cash[resource] ?? 0)));
  giveBack(ledger, back);
  ledger.owed = minus(ledger.owed, back);
  const done = RESOURCES.filter((resource) => back[resource] > 0 && ledger.owed[resource] === 0);
  const open = RESOURCES.filter((resource) => ledger.owed[resource] > 0);
  const final = open.filter((resource) => !mayReturn(ledger, resource));
  const busy = open.filter((resource) => !final.includes(resource) && !ledger.told.has(resource));
  for (const resource of busy) ledger.told.add(resource);
  for (const resource of [...done, ...final]) ledger.told.delete(resource);
  ledger.owed = amounts((resource) => (final.includes(resource) ? 0 : ledger.owed[resource]));
  recallBelow(ledger, ledger.owed, effects);
  if (isNone(back) && final.length === 0 && busy.length === 0) return;
  effects.push({ kind: 'up', message: { kind: 'release', back, done, busy, final, seen: ledger.seen } });
}

function lackedBy({ cash }: Ledger, { need }: Entry): Resource[] {
  return RESOURCES.filter((resource) => need[resource] > 0 && need[resource] > (cash[resource] ?? Infinity));
}

/** What of a need is counted: resources without a limit are not. */
function limitedPart({ cash }: Ledger, need: Amounts): Amounts {
  return amounts((resource) => (cash[resource] === null ? 0 : need[resource]));
}

/** What this run may still draw. */
function room({ cap, drawn }: Ledger, resource: Resource): number {
  const most = cap[resource];
  return most === null ? Number.MAX_SAFE_INTEGER : Math.max(0, most - drawn[resource]);
}

function canClaim(ledger: Ledger, resource: Resource, need: number): boolean {
  return ledger.above[resource] && need - Math.max(0, ledger.cash[resource] ?? 0) <= room(ledger, resource);
}

function isAsked({ borrowers }: Ledger, resource: Resource): boolean {
  return [...borrowers.values()].some(({ recall }) => recall[resource] === 'asked');
}

/**
 * Tells whether something of a resource may come back by itself. A step that has started is used up; the rest may
 * settle for less.
 */
function mayReturn({ reserved, borrowers }: Ledger, resource: Resource): boolean {
  if (resource !== 'steps' && [...reserved.values()].some((amount) => amount[resource] > 0)) return true;
  return [...borrowers.values()].some(({ lent, recall }) => lent[resource] > 0 && recall[resource] !== 'final');
}
