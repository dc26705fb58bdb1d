import { MockActivityEnvironment } from '@temporalio/testing';
import { CancelledFailure } from '@temporalio/activity';
import { describe, expect, it } from 'vitest';
import type { ToolsCall } from '../../../src/activities/contract.js';
import { createCallTools } from '../../../src/activities/turns/call-tools.js';

const HEAD: Omit<ToolsCall, 'calls' | 'at_once'> = {
  root: { run: 'run', first: 'first', plan: `sha256:${'a'.repeat(64)}` },
  nested: null,
  step: 0,
  path: 'work',
  try: 1,
  environment: {},
  turn: 1,
  head: 'head',
  workspace: '',
  limit_ms: 1_000,
};

describe('calls of a turn that are made together', () => {
  it('end each by itself: one that fails is withheld, in its place', async () => {
    const callTools = createCallTools(async ({ call }) => {
      await Promise.resolve();
      if (call === 5) throw new Error('no room');
      return { result: `of ${call}`, bytes: call };
    });
    const told = new MockActivityEnvironment().run(callTools, { ...HEAD, calls: [3, 5, 8], at_once: 2 });
    await expect(told).resolves.toEqual([
      { result: 'of 3', bytes: 3 },
      { withheld: true },
      { result: 'of 8', bytes: 8 },
    ]);
  });

  it('are at most so many at once', async () => {
    let now = 0;
    let most = 0;
    const callTools = createCallTools(async ({ call }) => {
      most = Math.max(most, (now += 1));
      await new Promise(setImmediate);
      now -= 1;
      return { result: String(call), bytes: 1 };
    });
    await new MockActivityEnvironment().run(callTools, { ...HEAD, calls: [0, 1, 2, 3, 4], at_once: 3 });
    expect(most).toBe(3);
  });

  it('end with a cancellation, and none begins after it', async () => {
    const environment = new MockActivityEnvironment();
    const begun: number[] = [];
    const callTools = createCallTools(async ({ call }) => {
      begun.push(call);
      environment.cancel();
      await new Promise(setImmediate);
      throw new CancelledFailure('cancelled');
    });
    await expect(environment.run(callTools, { ...HEAD, calls: [0, 1], at_once: 1 })).rejects.toThrow('cancelled');
    expect(begun).toEqual([0]);
  });
});
