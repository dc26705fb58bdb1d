import { describe, expect, it } from 'vitest';
import type { Pause } from '../../../src/plan/budget/steering.js';
import { NO_RESTRICTIONS } from '../../../src/plan/budget/steering.js';
import { restrictionsOf } from '../../../src/workflows/state/account.js';
import type { RunContext } from '../../../src/workflows/state/context.js';
import { isWorking, waitsForPeople } from '../../../src/workflows/state/working.js';

const pause = (run: string): Pause => ({ cause: 'request', run, message: '', by: 'ana', since: '' });

interface Standing {
  activities?: number;
  computing?: number;
  timers?: number;
  children?: number;
  /** Nested runs that wait for people. */
  waiting?: string[];
  queued?: number;
  gates?: string[];
  paused?: 'own' | 'above';
}

/** Only what is looked at. */
function context({ waiting = [], gates = [], paused, ...running }: Standing): RunContext {
  const held = { ...NO_RESTRICTIONS, pause: pause('r') };
  return {
    runningSteps: {
      ...{ activities: 0, computing: 0, timers: 0, children: 0, queued: 0 },
      ...running,
      waiting: new Set(waiting),
    },
    gates: { open: new Map(gates.map((gate) => [gate, {}])) },
    account: {
      own: paused === 'own' ? held : NO_RESTRICTIONS,
      fromAbove: paused === 'above' ? held : NO_RESTRICTIONS,
    },
  } as unknown as RunContext;
}

describe('a run', () => {
  it.each<[string, Standing, { works: boolean; waits: boolean }]>([
    ['does nothing', {}, { works: false, waits: false }],
    ['has an activity', { activities: 1 }, { works: true, waits: false }],
    ['computes a value', { computing: 1 }, { works: true, waits: false }],
    ['lets time pass', { timers: 1 }, { works: true, waits: false }],
    ['has a nested run', { children: 1 }, { works: true, waits: false }],
    ['has a gate', { gates: ['g'] }, { works: false, waits: true }],
    ['has a gate and an activity', { gates: ['g'], activities: 1 }, { works: true, waits: false }],
    ['has a nested run that waits', { children: 1, waiting: ['a'] }, { works: false, waits: true }],
    ['has two, one of which waits', { children: 2, waiting: ['a'] }, { works: true, waits: false }],
    ['has what waits for its turn', { activities: 1, queued: 1 }, { works: true, waits: false }],
    ['is paused with that', { activities: 1, queued: 1, paused: 'own' }, { works: false, waits: true }],
    ['is paused from above', { activities: 1, queued: 1, paused: 'above' }, { works: false, waits: true }],
    ['is paused while a step ends', { activities: 2, queued: 1, paused: 'own' }, { works: true, waits: false }],
    ['is paused', { paused: 'own' }, { works: false, waits: true }],
  ])('that %s: %3$j', (...[, standing, { works, waits }]) => {
    expect([isWorking(context(standing)), waitsForPeople(context(standing))]).toEqual([works, waits]);
  });

  it('is held by its own restrictions before those from above', () => {
    const own = { pause: pause('own'), stop: { by: 'own' }, degrade: 'own' } as never;
    const fromAbove = { pause: pause('above'), stop: { by: 'above' }, degrade: 'above' } as never;
    expect(restrictionsOf({ own, fromAbove })).toEqual(own);
    expect(restrictionsOf({ own: NO_RESTRICTIONS, fromAbove })).toEqual(fromAbove);
    expect(restrictionsOf({ own, fromAbove: NO_RESTRICTIONS })).toEqual(own);
  });
});
