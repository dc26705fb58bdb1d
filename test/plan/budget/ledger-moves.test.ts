import { describe, expect, it } from 'vitest';
import type { Amounts } from '../../../src/plan/budget/amounts.js';
import { ENDLESS, NONE } from '../../../src/plan/budget/amounts.js';
import { flow } from '../../../src/plan/budget/ledger-flow.js';
import type { Ledger, Upward } from '../../../src/plan/budget/ledger.js';
import {
  acquire,
  carryLedger,
  collect,
  giveAllBack,
  lend,
  nearlyUsed,
  openLedger,
  raise,
  receiveFromAbove,
  receiveFromBelow,
  renewClaim,
  restoreLedger,
  settle,
  unusedOf,
  withdraw,
} from '../../../src/plan/budget/ledger.js';

const some = (more: Partial<Amounts>): Amounts => ({ ...NONE, ...more });
const STEP = some({ steps: 1, slots: 1 });
const root = (own: Partial<Ledger['cap']> = { steps: 10, nanousd: 100 }): Ledger =>
  openLedger(ENDLESS, { ...ENDLESS, ...own });
const nested = (): Ledger => openLedger({ ...ENDLESS, steps: 3, nanousd: 50 }, { ...ENDLESS, steps: 8, tokens: 70 });
const claim = (more: Partial<Upward & { kind: 'claim' }> = {}): Upward => ({
  kind: 'claim',
  seq: 1,
  want: some({ steps: 2 }),
  like: NONE,
  back: NONE,
  busy: [],
  seen: 0,
  ...more,
});

describe('a ledger at its start', () => {
  it('of a root owns all its limits', () => {
    expect(root()).toMatchObject({
      cash: { steps: 10, nanousd: 100, tokens: null, slots: null },
      drawn: some({ steps: 10, nanousd: 100 }),
      above: { steps: false, nanousd: false, tokens: false, slots: false },
    });
  });

  it('of a nested run has what it was lent, and makes what nothing above limits', () => {
    expect(nested()).toMatchObject({
      cash: { steps: 3, nanousd: 50, tokens: 70, slots: null },
      drawn: some({ steps: 3, nanousd: 50, tokens: 70 }),
      above: { steps: true, nanousd: true, tokens: false, slots: false },
    });
  });
});

describe('what a ledger carries when its run continues as new', () => {
  it('is all but what is under way, which counts as used', () => {
    const ledger = root();
    acquire(ledger, 1, some({ steps: 1, nanousd: 30 }));
    acquire(ledger, 2, STEP);
    flow(ledger);
    settle(ledger, 2, some({ steps: 1 }), some({ nanousd: 0 }));
    const carried = carryLedger(ledger);
    expect(carried).not.toHaveProperty('assumed');
    expect(carried.charged).toEqual(some({ steps: 2, nanousd: 30 }));
    const next = restoreLedger(JSON.parse(JSON.stringify(carried)) as typeof carried); // what JSON carries
    expect(next).toMatchObject({ cash: ledger.cash, drawn: ledger.drawn, cap: ledger.cap, assumed: NONE, held: false });
    expect([next.reserved.size, next.borrowers.size, next.queue, next.claim, next.exhausted]).toEqual([
      0,
      0,
      [],
      null,
      null,
    ]);
  });

  it('is what nobody knows as well', () => {
    const ledger = root();
    acquire(ledger, 1, some({ nanousd: 30 }));
    flow(ledger);
    settle(ledger, 1, some({ nanousd: 30 }), some({ nanousd: 30 }));
    const carried = carryLedger(ledger);
    expect(carried.assumed).toEqual(some({ nanousd: 30 }));
    expect(restoreLedger(carried).assumed).toEqual(some({ nanousd: 30 }));
  });
});

describe('a step', () => {
  it('starts with what it needs, in the order in which it came', () => {
    const ledger = root({ steps: 2 });
    acquire(ledger, 1, STEP);
    acquire(ledger, 2, STEP);
    expect(flow(ledger)).toEqual([
      { kind: 'start', id: 1 },
      { kind: 'start', id: 2 },
    ]);
    expect(ledger.cash.steps).toBe(0);
    expect(flow(ledger)).toEqual([]);
  });

  it('that lacks something keeps others from that alone', () => {
    const ledger = root({ steps: 5, nanousd: 10 });
    acquire(ledger, 1, some({ steps: 1, nanousd: 11 }));
    acquire(ledger, 2, some({ steps: 1, nanousd: 1 }));
    acquire(ledger, 3, some({ steps: 1 }));
    expect(flow(ledger)).toEqual([
      { kind: 'start', id: 3 },
      { kind: 'exhausted', resource: 'nanousd', need: 11, left: 10 },
    ]);
    expect(ledger.queue.map(({ id }) => id)).toEqual([1, 2]);
  });

  it('that does not want to start any more is forgotten, and no other', () => {
    const ledger = root({ steps: 1 });
    lend(ledger, 'child', NONE);
    for (const id of [1, 2]) acquire(ledger, id, STEP);
    receiveFromBelow(ledger, 'child', claim({ seq: 1 }));
    withdraw(ledger, 1);
    expect(ledger.queue.map(({ run, id }) => [run, id])).toEqual([
      [null, 2],
      ['child', 1],
    ]);
  });

  it('pays what it used beyond its reservation out of the next cash', () => {
    const ledger = root({ nanousd: 10 });
    acquire(ledger, 1, some({ nanousd: 4 }));
    flow(ledger);
    settle(ledger, 1, some({ nanousd: 13 }));
    expect(ledger.cash.nanousd).toBe(-3);
    settle(ledger, 1, some({ nanousd: 13 }));
    expect(ledger.charged.nanousd).toBe(13);
    acquire(ledger, 2, some({ nanousd: 1 }));
    expect(flow(ledger)).toEqual([{ kind: 'exhausted', resource: 'nanousd', need: 1, left: 0 }]);
    expect(raise(ledger, 'nanousd', 4)).toBe(true);
    expect(flow(ledger)).toEqual([{ kind: 'start', id: 2 }]);
  });

  it('does not start while the run is paused', () => {
    const ledger = root();
    ledger.held = true;
    acquire(ledger, 1, STEP);
    expect(flow(ledger)).toEqual([]);
    ledger.held = false;
    expect(flow(ledger)).toEqual([{ kind: 'start', id: 1 }]);
  });
});

describe('a limit', () => {
  it('is raised where the run has it, with cash of its own where nothing above is limited', () => {
    const own = root({ steps: 1 });
    own.exhausted = 'steps';
    expect(raise(own, 'steps', 4)).toBe(true);
    expect(own).toMatchObject({ cap: { steps: 5 }, cash: { steps: 5 }, drawn: { steps: 5 }, exhausted: null });
    expect(raise(own, 'tokens', 4)).toBe(false);
    const below = nested();
    expect(raise(below, 'steps', 4)).toBe(true);
    expect(below).toMatchObject({ cap: { steps: 12 }, cash: { steps: 3 }, drawn: { steps: 3 } });
  });

  it('is nearly used where four fifths are used for good', () => {
    const used = (charged: Partial<Amounts>): unknown =>
      nearlyUsed({ cap: { ...ENDLESS, steps: 10, nanousd: 100 }, charged: some(charged) });
    expect(used({ steps: 7, nanousd: 79, tokens: 900 })).toEqual([]);
    expect(used({ steps: 8, nanousd: 80 })).toEqual(['steps', 'nanousd']);
    expect(nearlyUsed({ cap: { ...ENDLESS, steps: 0 }, charged: NONE })).toEqual([]);
    expect(nearlyUsed({ cap: { ...ENDLESS, tokens: 5, slots: 1 }, charged: some({ tokens: 4, slots: 1 }) })).toEqual([
      'tokens',
    ]);
  });

  it('has left what is not used for good, and never less than nothing', () => {
    const cap = { ...ENDLESS, steps: 10, nanousd: 5 };
    expect(unusedOf({ cap, charged: some({ steps: 4, nanousd: 9 }) })).toEqual({ ...ENDLESS, steps: 6, nanousd: 0 });
  });
});

describe('a nested run', () => {
  it('is lent as much as there is, and nothing where somebody waits or the run is paused', () => {
    const ledger = root({ steps: 3, nanousd: 100 });
    expect(lend(ledger, 'a', some({ steps: 5, nanousd: 40, tokens: 9 }))).toEqual({
      ...ENDLESS,
      steps: 3,
      nanousd: 40,
    });
    expect(ledger.cash).toEqual({ ...ENDLESS, steps: 0, nanousd: 60 });
    acquire(ledger, 1, STEP);
    expect(lend(ledger, 'b', some({ nanousd: 40 }))).toEqual({ ...ENDLESS, steps: 0, nanousd: 0 });
    const paused = root();
    paused.held = true;
    expect(lend(paused, 'a', STEP)).toEqual({ ...ENDLESS, steps: 0, nanousd: 0 });
  });

  it('that has ended gives back what it did not use', () => {
    const ledger = root();
    lend(ledger, 'a', some({ steps: 4, nanousd: 40 }));
    collect(ledger, 'a', some({ steps: 1, nanousd: 15 }), some({ nanousd: 5 }));
    expect(ledger).toMatchObject({
      cash: { steps: 9, nanousd: 85 },
      charged: some({ steps: 1, nanousd: 15 }),
      assumed: some({ nanousd: 5 }),
    });
    expect(ledger.borrowers.size).toBe(0);
    collect(ledger, 'a', some({ steps: 1 }));
    expect(ledger.charged.steps).toBe(1);
  });

  it('of which nobody can say anything has used all that it had, and waits no more', () => {
    const ledger = root();
    lend(ledger, 'a', some({ steps: 4, nanousd: 40, slots: 1 }));
    acquire(ledger, 1, some({ steps: 7 }));
    receiveFromBelow(ledger, 'a', claim());
    collect(ledger, 'a', null);
    expect(ledger).toMatchObject({
      charged: some({ steps: 4, nanousd: 40 }),
      assumed: some({ steps: 4, nanousd: 40 }),
      queue: [{ run: null, id: 1 }],
    });
  });

  it('gets what it claims, and what it would like only where nobody waits for that', () => {
    const ledger = root({ steps: 10, nanousd: 10 });
    lend(ledger, 'a', NONE);
    receiveFromBelow(ledger, 'a', claim({ seq: 7, want: some({ steps: 2 }), like: some({ steps: 3, nanousd: 4 }) }));
    acquire(ledger, 1, some({ nanousd: 11 }));
    expect(flow(ledger)).toEqual([
      { kind: 'down', run: 'a', message: { kind: 'grant', seq: 1, claim: 7, amounts: some({ steps: 5 }) } },
      { kind: 'exhausted', resource: 'nanousd', need: 11, left: 10 },
    ]);
    expect(ledger.borrowers.get('a')).toMatchObject({ lent: some({ steps: 5 }), grants: 1 });
  });

  it('is asked to give back what is missing here, once, and no more of it than is missing', () => {
    const ledger = root({ steps: 4 });
    lend(ledger, 'a', some({ steps: 3 }));
    lend(ledger, 'b', some({ steps: 1 }));
    acquire(ledger, 1, some({ steps: 2 }));
    const recall = (run: string) => ({ kind: 'down', run, message: { kind: 'recall', want: some({ steps: 2 }) } });
    expect(flow(ledger)).toEqual([recall('a'), recall('b')]);
    expect(flow(ledger)).toEqual([]);
    const none = { kind: 'release' as const, done: [], busy: [], final: [], seen: 0 };
    receiveFromBelow(ledger, 'b', { ...none, back: NONE, final: ['steps'] });
    receiveFromBelow(ledger, 'a', { ...none, back: some({ steps: 2 }), done: ['steps'] });
    expect(flow(ledger)).toEqual([{ kind: 'start', id: 1 }]);
  });

  it('is not listened to once it has ended, nor does it give back more than it was lent', () => {
    const ledger = root();
    const before = JSON.stringify(ledger);
    receiveFromBelow(ledger, 'gone', claim());
    expect(JSON.stringify(ledger)).toBe(before);
    lend(ledger, 'a', some({ steps: 2 }));
    const back = some({ steps: 5 });
    receiveFromBelow(ledger, 'a', { kind: 'release', back, done: [], busy: [], final: [], seen: 0 });
    expect(ledger.cash.steps).toBe(10);
  });

  it('takes its claim back with an empty one', () => {
    const ledger = root({ steps: 1 });
    lend(ledger, 'a', NONE);
    receiveFromBelow(ledger, 'a', claim({ want: some({ steps: 5 }) }));
    expect(ledger.queue).toHaveLength(1);
    receiveFromBelow(ledger, 'a', claim({ seq: 2, want: NONE }));
    expect(ledger.queue).toEqual([]);
  });
});

describe('a run that is lent to', () => {
  it('claims all that a step needs at once, and gives back its beginnings', () => {
    const ledger = nested();
    acquire(ledger, 1, some({ steps: 1, nanousd: 60 }));
    expect(flow(ledger)).toEqual([
      {
        kind: 'up',
        message: {
          kind: 'claim',
          seq: 1,
          want: some({ steps: 1, nanousd: 60 }),
          like: some({ steps: 2 }),
          back: some({ steps: 3, nanousd: 50 }),
          busy: [],
          seen: 0,
        },
      },
    ]);
    expect(flow(ledger)).toEqual([]);
    receiveFromAbove(ledger, { kind: 'grant', seq: 1, claim: 1, amounts: some({ steps: 3, nanousd: 60 }) });
    expect(flow(ledger)).toEqual([{ kind: 'start', id: 1 }]);
    expect(ledger).toMatchObject({
      cash: { steps: 2, nanousd: 0 },
      drawn: { steps: 3, nanousd: 60 },
      claim: null,
      seen: 1,
    });
  });

  it('takes a grant once, however often it comes', () => {
    const ledger = nested();
    for (let time = 0; time < 2; time += 1)
      receiveFromAbove(ledger, { kind: 'grant', seq: 1, claim: 9, amounts: some({ steps: 4 }) });
    expect(ledger).toMatchObject({ cash: { steps: 7 }, drawn: { steps: 7 } });
  });

  it('finds its own limit used up, where above there is more', () => {
    const ledger = nested();
    acquire(ledger, 1, some({ steps: 9 }));
    expect(flow(ledger)).toEqual([{ kind: 'exhausted', resource: 'steps', need: 9, left: 3 }]);
    expect(ledger.exhausted).toBe('steps');
  });

  it('gives back what is recalled as it becomes free, its own steps first', () => {
    const ledger = nested();
    acquire(ledger, 1, some({ nanousd: 40 }));
    flow(ledger);
    receiveFromAbove(ledger, { kind: 'recall', want: some({ nanousd: 30, tokens: 9 }) });
    const release = { kind: 'release', done: [], busy: [], final: [], seen: 0 };
    expect(flow(ledger)).toEqual([
      { kind: 'up', message: { ...release, back: some({ nanousd: 10 }), busy: ['nanousd'] } },
    ]);
    expect(flow(ledger)).toEqual([]);
    settle(ledger, 1, some({ nanousd: 5 }));
    expect(flow(ledger)).toEqual([
      { kind: 'up', message: { ...release, back: some({ nanousd: 20 }), done: ['nanousd'] } },
    ]);
    receiveFromAbove(ledger, { kind: 'recall', want: some({ nanousd: 99 }) });
    expect(flow(ledger)).toEqual([
      { kind: 'up', message: { ...release, back: some({ nanousd: 15 }), final: ['nanousd'] } },
    ]);
  });

  it('takes a claim back whose step does not want to start any more', () => {
    const ledger = nested();
    acquire(ledger, 1, some({ nanousd: 60 }));
    flow(ledger);
    withdraw(ledger, 1);
    expect(flow(ledger)).toMatchObject([{ kind: 'up', message: { kind: 'claim', seq: 2, want: NONE, back: NONE } }]);
    expect(flow(ledger)).toEqual([]);
  });

  it('claims anew, by another number, what the run above has forgotten', () => {
    const ledger = nested();
    acquire(ledger, 1, some({ nanousd: 60 }));
    flow(ledger);
    renewClaim(ledger);
    expect(flow(ledger)).toMatchObject([
      { kind: 'up', message: { kind: 'claim', seq: 2, want: some({ nanousd: 60 }) } },
    ]);
    expect(flow(ledger)).toEqual([]);
    receiveFromAbove(ledger, { kind: 'grant', seq: 1, claim: 2, amounts: some({ nanousd: 60 }) });
    expect([flow(ledger), ledger.claim]).toEqual([[{ kind: 'start', id: 1 }], null]);
    renewClaim(ledger);
    expect(flow(ledger)).toEqual([]);
  });

  it('gives all back that is unused with its last word, but what it made itself', () => {
    const ledger = nested();
    expect(giveAllBack(ledger)).toEqual({
      kind: 'release',
      back: some({ steps: 3, nanousd: 50 }),
      done: [],
      busy: [],
      final: [],
      seen: 0,
    });
    expect(ledger).toMatchObject({
      cash: { steps: 0, nanousd: 0, tokens: 70 },
      drawn: { steps: 0, nanousd: 0, tokens: 70 },
    });
  });
});
