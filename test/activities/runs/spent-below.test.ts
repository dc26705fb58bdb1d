import { expect, it } from 'vitest';
import { askOnce } from '../../../src/activities/attempt/call-journal.js';
import { cutCalls } from '../../../src/activities/attempt/cut-calls.js';
import { paidFor } from '../../../src/activities/attempt/account.js';
import type { ProgramCall } from '../../../src/activities/contract.js';
import type { Dependencies } from '../../../src/activities/dependencies.js';
import { sessionBook } from '../../../src/activities/programs/session.js';
import { createSpentBelow } from '../../../src/activities/runs/spent-below.js';
import { NO_USAGE } from '../../../src/activities/models/protocol/provider.js';
import type { Spend } from '../../../src/plan/budget/spend.js';
import { sha256 } from '../../../src/store/hash.js';
import { openStore } from '../../../src/store/local-store.js';
import { temporaryFolder } from '../../store/helpers/harness.js';

it('counts of one call its own answers and what broke off, and a session as long as it has no answer', async () => {
  const store = await openStore(await temporaryFolder());
  const spentBelow = createSpentBelow({ store } as Dependencies); // it uses nothing else
  const call: ProgramCall = {
    root: { run: 'r', first: 'f', plan: sha256('p') },
    nested: null,
    step: 0,
    path: 'a',
    try: 1,
    environment: {},
    program: {
      program: 'claude',
      model: null,
      price: { input: 1, output: 1, cache_read: null, cache_write_5m: null, cache_write_1h: null },
      max_tokens: 1,
    },
    workspace: '/',
  };
  const cost = (tokens: number): Spend => ({ usd: tokens, tokens, steps: 0 });
  const answer = (part: (string | number)[], tokens: number, tried = 1): Promise<unknown> =>
    askOnce(store, { call: { ...call, try: tried }, part, request: part }, () => Promise.resolve('yes'), {
      cost: () => cost(tokens),
    });
  const spent = async (part: (string | number)[]): Promise<number> =>
    (await spentBelow({ root: call.root, path: 'a', part })).tokens;
  await cutCalls(store, { call, part: ['turn', 1, 0] }, 0).add(paidFor(cost(1), 0));
  await answer(['turn', 1, 1], 10);
  await answer(['turn', 10, 0], 100);
  await answer([0, 0], 1_000, 2);
  expect([await spent([1, 'turn', 1]), await spent([1]), await spent([2])]).toEqual([11, 111, 1_000]);
  await sessionBook(store, { ...call, try: 3 }, 0, sha256('q')).write({
    id: 's',
    spent: { usage: { ...NO_USAGE, input: 5 }, usd: 5 },
  });
  expect(await spent([3])).toBe(5);
  await answer(['program', 0], 7, 3);
  expect(await spent([3])).toBe(7);
});
