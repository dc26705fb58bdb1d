import { describe, expect, it } from 'vitest';
import { ID, NAME, RUN_ID, treeActivity, treeActivityId } from '../../src/plan/names.js';
import { RUN_ID_BYTES, runIdOf } from '../../src/plan/run-id.js';
import { UNLIMITED, leaseOf } from '../../src/plan/run-input.js';
import { DEFAULT_BUDGETS, NO_BUDGETS } from '../../src/plan/budget/budgets.js';
import { isSimulated, isSimulatedChip } from '../../src/plan/devices/device.js';
import { keeperIdOf } from '../../src/plan/devices/device-queue.js';

describe('a name', () => {
  it.each<[string, boolean, boolean, boolean]>([
    ['review', true, true, true],
    ['a', true, true, true],
    ['A-1_b', true, true, true],
    ['_private', false, true, false],
    ['1st', false, false, true],
    ['a.b', false, false, true],
    ['-a', false, false, false],
    ['.a', false, false, false],
    ['a b', false, false, false],
    ['a/b', false, false, false],
    ['a\n', false, false, false],
    ['', false, false, false],
    ['a'.repeat(63), true, true, true],
    ['a'.repeat(64), false, false, true],
    ['a'.repeat(128), false, false, true],
    ['a'.repeat(129), false, false, false],
  ])('%j is one of an agent: %s, of a step: %s, of a run: %s', (text, name, id, run) => {
    expect([NAME.test(text), ID.test(text), RUN_ID.test(text)]).toEqual([name, id, run]);
  });

  it.each([
    ['review', 'review-abcdefgh'],
    ['Ü my review!', 'my-review--abcdefgh'],
    ['---', 'run-abcdefgh'],
    ['..a', 'a-abcdefgh'],
    ['', 'run-abcdefgh'],
    ['a'.repeat(200), `${'a'.repeat(100)}-abcdefgh`],
  ])('%j makes the run id %j', (name, id) => {
    expect(runIdOf(name, Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7, 8))).toBe(id);
    expect(id).toMatch(RUN_ID);
  });

  it('of a run has one digit for each byte', () => {
    expect(runIdOf('a', Uint8Array.of(31, 32, 63, 255, 26, 25, 0, 1))).toBe('a-7a772zab');
    expect(RUN_ID_BYTES).toBe(8);
  });
});

describe('an activity about work trees', () => {
  it('is known by its id, whatever the path', () => {
    for (const act of ['make', 'begin', 'commit'] as const)
      for (const path of ['', 'a', 'each/3/work/2.0'])
        expect(treeActivity(treeActivityId(act, path, 12))).toEqual({ act, path });
  });

  it.each(['a', '/next-task', '/tree/other/1/a', '/tree/make/x/a', '/tree/make/1', 'x/tree/make/1/a', 'tree/make/1/a'])(
    'is not %j',
    (id) => {
      expect(treeActivity(id)).toBeNull();
    },
  );
});

it('lends a run what its limits are, time in milliseconds', () => {
  expect(leaseOf(NO_BUDGETS)).toEqual(UNLIMITED);
  expect(leaseOf({ ...DEFAULT_BUDGETS, max_cost_usd: 2, max_tokens: 5, max_runtime_mins: 0.5 })).toEqual({
    steps: 100,
    usd: 2,
    tokens: 5,
    slots: 10,
    runtime_ms: 30_000,
  });
});

it('simulates a board only where its kind does and it has no port', () => {
  const kind = { simulates: 'esp32' } as never; // nothing else of it is looked at
  expect(isSimulated({ kind, port: null })).toBe(true);
  expect(isSimulated({ kind, port: 'net:host:1' })).toBe(false);
  expect(isSimulated({ kind: { simulates: null } as never, port: null })).toBe(false);
  expect(['esp32', 'atmega328p', 'ESP32', '', 'z80'].map(isSimulatedChip)).toEqual([true, true, false, false, false]);
  expect(keeperIdOf('perdure-a')).toBe('perdure-devices/perdure-a');
});
