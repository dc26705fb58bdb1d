import { describe, expect, it } from 'vitest';
import type { CarriedTries } from '../../../src/plan/schedule/carried.js';
import type { Scope } from '../../../src/workflows/state/context.js';
import { failed, keepTries, openTries } from '../../../src/workflows/running/tries.js';
import { commandStep } from '../../plan/helpers/build-plan.js';

const step = commandStep(0, ['x'], { id: 'work' });
/** Only what is looked at. */
const scope = (tried = new Map<string, CarriedTries>()): Scope =>
  ({ context: { tried }, path: 'each/3', single: false }) as unknown as Scope;
const image = { image: { value: 'x' }, sha256: 'aa' };

describe('the tries of a step', () => {
  it('are none when it starts', () => {
    expect(openTries(scope(), step)).toEqual({
      ...{ count: 0, spent: { usd: 0, tokens: 0, steps: 0 }, last: null, short: null, paid: null, waitsToBegin: false },
      ...{ flash: { image: null, act: 'write' }, allowed: null, unjudged: false, carried: null },
    });
  });

  it.each<[string, CarriedTries]>([
    [
      'that failed',
      { count: 2, spent: { usd: 1, tokens: 5, steps: 2 }, failure: { type: 'command-failed', message: '' } },
    ],
    ['that has no failure', { count: 1, spent: { usd: null, tokens: 0, steps: 1 }, failure: null }],
    [
      'that was out of time',
      { count: 1, spent: { usd: 0, tokens: 0, steps: 1 }, failure: { type: 'timeout', message: '' } },
    ],
    ['that has an image', { count: 1, spent: { usd: 0, tokens: 0, steps: 1 }, failure: null, image }],
    ['that a person allowed', { count: 0, spent: { usd: 0, tokens: 0, steps: 0 }, failure: null, allowed: 'sha256:a' }],
    ['that is to be tried again', { count: 1, spent: { usd: 0, tokens: 0, steps: 1 }, failure: null, again: true }],
    [
      'that waits for money',
      {
        ...{ count: 1, spent: { usd: 1, tokens: 5, steps: 0 }, failure: null, again: true },
        short: { need: { steps: 0, nanousd: 9, tokens: 9, slots: 0 }, model: 'dear' },
        paid: { usd: 1, tokens: 5, counted: 1, ms: 1_000, waits: 1 },
      },
    ],
  ])('go on where the run continued as new, of a step %s', (_, known) => {
    const before = scope(new Map([['each/3/work', known]]));
    const tries = openTries(before, step);
    expect(tries).toMatchObject({ count: known.count, spent: known.spent, carried: known });
    expect(tries.last).toEqual(known.failure && failed(known.failure));
    expect([tries.flash.image, tries.allowed]).toEqual([known.image ?? null, known.allowed ?? null]);
    const kept = new Map<string, CarriedTries>();
    keepTries(scope(kept), step, tries, known.again === true);
    expect([...kept]).toEqual([['each/3/work', known]]);
  });

  it('leave no failure of what succeeded', () => {
    const kept = new Map<string, CarriedTries>();
    const last = { status: 'success', output: { value: 1 } } as const;
    keepTries(scope(kept), step, { ...openTries(scope(), step), count: 1, last }, false);
    expect(kept.get('each/3/work')?.failure).toBeNull();
  });
});

it('fails by a timeout as one', () => {
  expect(failed({ type: 'timeout', message: '' }).status).toBe('timeout');
  expect(failed({ type: 'internal', message: '' }).status).toBe('error');
});
