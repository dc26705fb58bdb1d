import { expect, it } from 'vitest';
import { askOnce } from '../../../src/activities/attempt/call-journal.js';
import { createSpentBelow } from '../../../src/activities/runs/spent-below.js';
import type { Dependencies } from '../../../src/activities/dependencies.js';
import { scopeOfTry } from '../../../src/plan/calls/journal-scope.js';
import { sha256 } from '../../../src/store/hash.js';
import { openStore } from '../../../src/store/local-store.js';
import { temporaryFolder } from '../../store/helpers/harness.js';

it('counts what later tries of nested runs have cost below a path, however deep, and nothing beside it', async () => {
  const store = await openStore(await temporaryFolder());
  const spentBelow = createSpentBelow({ store } as Dependencies); // it uses nothing else
  const pay = async (first: string, path: string, tokens: number): Promise<unknown> =>
    askOnce(
      store,
      {
        call: { root: { run: 'r', first, plan: sha256('p') }, nested: null, step: 0, path, try: 1, environment: {} },
        part: [0, 0],
        request: path,
      },
      () => Promise.resolve('yes'),
      { cost: () => ({ usd: 0, tokens, steps: 0 }) },
    );
  const second = scopeOfTry('f', 'outer/3/inner', 2);
  const third = scopeOfTry(second, 'outer/3/inner/deep', 3);
  await pay('f', 'outer/3/inner/a', 1);
  // Nothing was paid in the second try itself.
  await pay(third, 'outer/3/inner/deep/a', 10);
  await pay(scopeOfTry('f', 'outer/3', 2), 'outer/3/a', 100);
  await pay(scopeOfTry('f', 'outer/30', 2), 'outer/30/a', 1000);
  await pay(scopeOfTry('f', 'other', 2), 'other/a', 10_000);
  const tokens = async (path: string, items?: { from: number; end: number }): Promise<number> =>
    (await spentBelow({ root: { first: 'f' }, path, ...(items && { items }) })).tokens;
  expect(await tokens('outer/3/inner')).toBe(11);
  expect(await tokens('outer/3')).toBe(111);
  expect(await tokens('outer')).toBe(1111);
  expect(await tokens('outer', { from: 3, end: 4 })).toBe(111);
  expect(await tokens('outer', { from: 4, end: 40 })).toBe(1000);
});
