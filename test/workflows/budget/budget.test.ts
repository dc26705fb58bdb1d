// @seconds 45
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Plan, PlanBody } from '../../../src/plan/plan.js';
import type { Step, WorkflowStep } from '../../../src/plan/step.js';
import { MEMO, STEER } from '../../../src/plan/names.js';
import type { Steer, SteerReceipt } from '../../../src/plan/budget/steering.js';
import { foreach, many } from '../../plan/helpers/build-blocks.js';
import { after, body, commandStep, needs, plan, stepBase } from '../../plan/helpers/build-plan.js';
import { outcomeOf, roundsOf } from '../helpers/ended.js';
import type { Harness, RunHandle } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { sendSteer } from '../helpers/updating.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(async () => {
  await harness.close();
});

const nested = (index: number, name: string): WorkflowStep => ({
  ...stepBase(index, { on_error: 'continue' }),
  kind: 'workflow',
  workflow: name,
  plan: `sha256:${name}`,
  inputs: {},
});
const list = (count: number, of: (index: number) => Step): Step[] =>
  Array.from({ length: count }, (_, index) => of(index));

/** `count` branches, each one command `depth` runs below. */
function branches(count: number, depth: number): Plan {
  const command = (index: number): Step => commandStep(index, ['true'], { on_error: 'continue' });
  if (depth === 0) return plan(list(count, command));
  const bodies: Record<string, PlanBody> = { 'sha256:level0': body([command(0)], { name: 'level0' }) };
  for (let level = 1; level < depth; level += 1)
    bodies[`sha256:level${level}`] = body([nested(0, `level${level - 1}`)], { name: `level${level}` });
  return plan(
    list(count, (index) => nested(index, `level${depth - 1}`)),
    { nested: bodies },
  );
}

/** Ends when there is such a file. */
const waitsFor = (index: number, file: string): Step =>
  commandStep(index, ['sh', '-c', 'until [ -e "$0" ]; do sleep 0.05; done', file], { timeout_ms: 600_000 });

const steer = (handle: RunHandle, wish: object): Promise<SteerReceipt> =>
  sendSteer(handle, { by: 'ana', id: randomUUID(), ...wish } as Steer); // the tests say which
/** How often the alive log was asked how much of its time a run has used. */
const countsOfTime = async (handle: RunHandle): Promise<number> =>
  ((await handle.fetchHistory()).events ?? []).filter(({ markerRecordedEventAttributes: marker }) =>
    Buffer.from(marker?.details?.['data']?.payloads?.[0]?.data ?? []).includes('countAlive'),
  ).length;
const memoOf = async (handle: RunHandle): Promise<unknown> => (await handle.describe()).memo?.[MEMO.paused];

describe('a run that is steered', () => {
  it('starts nothing new while it is paused, and goes on where it was', async () => {
    const go = join(harness.folder, 'go');
    const handle = await harness.start(plan([waitsFor(0, go), commandStep(1, ['true'], { needs: needs(0) })]));
    const count = async (event: string): Promise<number> =>
      (await harness.events(handle.workflowId)).filter(({ type }) => type === event).length;
    await expect.poll(() => count('activityTaskScheduled')).toBe(1);
    expect(await steer(handle, { kind: 'pause' })).toMatchObject({ status: 'paused' });
    await writeFile(go, '');
    await expect.poll(() => count('activityTaskCompleted')).toBe(1);
    expect(await count('activityTaskScheduled')).toBe(1);
    expect(await memoOf(handle)).toMatchObject({ cause: 'request', by: 'ana' });
    expect(await steer(handle, { kind: 'resume' })).toMatchObject({ status: 'running' });
    expect(await handle.result()).toMatchObject({ status: 'success', spend: { steps: 2 } });
  });

  it('stays paused without any worker, which needs none to say so, and goes on when one is there again', async () => {
    const leave = await harness.work('alone');
    const handle = await harness.start(branches(4, 1), {
      lease: { steps: 2 },
      settings: { on_exhausted: { max_steps: 'pause' } },
      taskQueue: 'alone',
    });
    await expect.poll(() => memoOf(handle)).toMatchObject({ cause: 'max_steps' });
    await leave();
    expect(await memoOf(handle)).toMatchObject({ cause: 'max_steps', message: 'all 2 steps are used' });
    await handle.signal(STEER, { kind: 'budget', add: { steps: 2 }, by: 'ana', id: 'while nobody was there' });
    const again = await harness.work('alone');
    expect(await handle.result()).toMatchObject({ status: 'success', spend: { steps: 4 } });
    await again();
  });

  it('that a person pauses at a limit stays paused when there is more, until somebody says so', async () => {
    const handle = await harness.start(branches(4, 1), {
      lease: { steps: 2, slots: 10 },
      settings: { on_exhausted: { max_steps: 'pause' } },
    });
    await expect.poll(() => memoOf(handle)).toMatchObject({ cause: 'max_steps' });
    await steer(handle, { kind: 'pause' });
    expect(await memoOf(handle)).toMatchObject({ cause: 'request', by: 'ana' });
    // A limit that is still used up pauses again.
    await steer(handle, { kind: 'resume' });
    await expect.poll(() => memoOf(handle)).toMatchObject({ cause: 'max_steps', message: 'all 2 steps are used' });
    await steer(handle, { kind: 'pause' });
    expect(await steer(handle, { kind: 'budget', add: { steps: 2 } })).toMatchObject({ status: 'paused' });
    expect(await memoOf(handle)).toMatchObject({ cause: 'request' });
    await steer(handle, { kind: 'resume' });
    expect(await handle.result()).toMatchObject({ status: 'success', spend: { steps: 4 } });
  });

  it('pauses at a limit that says so, and an addition is applied once', async () => {
    const handle = await harness.start(branches(4, 1), {
      lease: { steps: 2, slots: 10 },
      settings: { on_exhausted: { max_steps: 'pause' } },
    });
    await expect.poll(() => memoOf(handle)).toMatchObject({ cause: 'max_steps' });
    await expect(steer(handle, { kind: 'resume' })).rejects.toThrow();
    await steer(handle, { kind: 'budget', add: { steps: 1 }, id: 'one' });
    await steer(handle, { kind: 'budget', add: { steps: 1 }, id: 'one' });
    await expect.poll(() => memoOf(handle)).toMatchObject({ cause: 'max_steps', message: 'all 3 steps are used' });
    await handle.signal(STEER, { kind: 'abort', by: 'ana', id: 'two' });
    expect(await outcomeOf(handle)).toMatchObject({
      status: 'partial',
      error: expect.stringContaining('stopped by ana') as string,
      spend: { steps: 3 },
    });
  });

  it.each([
    ['before what clears up has its turn', 2],
    ['while what clears up waits for its turn', 3],
  ])('that is paused %s and cancelled clears up, and ends', async (_when, steps) => {
    const cleared = join(harness.folder, `cleared ${steps}`);
    const handle = await harness.start(
      plan([
        ...list(3, (index) => commandStep(index, ['true'], { needs: index === 0 ? [] : needs(index - 1) })),
        commandStep(3, ['sh', '-c', 'echo cleared > "$0"', cleared], { needs: after(2), always: true }),
      ]),
      { lease: { steps }, settings: { on_exhausted: { max_steps: 'pause' } } },
    );
    await expect.poll(() => memoOf(handle)).toMatchObject({ cause: 'max_steps' });
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect([(await handle.describe()).status.name, await memoOf(handle)]).toEqual(['CANCELLED', undefined]);
    expect(await readFile(cleared, 'utf8')).toBe('cleared\n');
  });

  const two = [commandStep(0, ['true']), commandStep(1, ['true'], { needs: needs(0) })];
  it.each<[string, Step[]]>([
    ['of the run', two],
    ['of an item', [foreach(0, { kind: 'literal', value: ['a'] }, many(two))]],
  ])('tells a step %s that waited for its turn when it was cancelled as skipped', async (_whose, steps) => {
    const handle = await harness.start(plan(steps), {
      lease: { steps: 1 },
      settings: { on_exhausted: { max_steps: 'pause' } },
    });
    await expect.poll(() => memoOf(handle)).toMatchObject({ cause: 'max_steps' });
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    const record = await harness.store.readRun(handle.workflowId);
    if (record === null) throw new Error('no record');
    const [item] = await roundsOf(harness, record, '0');
    expect((item?.steps ?? Object.values(await harness.results(record)))[1]).toMatchObject({
      status: 'skipped',
      error: 'skipped: the run was cancelled',
      failure: null,
      attempts: 0,
    });
  });

  it('that waits for the budget of what clears up does it when it is stopped', async () => {
    const cleared = join(harness.folder, 'cleared after all');
    const handle = await harness.start(
      plan([
        commandStep(0, ['true']),
        commandStep(1, ['sh', '-c', 'echo cleared > "$0"', cleared], { needs: after(0), always: true }),
      ]),
      { lease: { steps: 1 }, settings: { on_exhausted: { max_steps: 'pause' } } },
    );
    await expect.poll(() => memoOf(handle)).toMatchObject({ cause: 'max_steps' });
    await steer(handle, { kind: 'abort' });
    await outcomeOf(handle);
    expect(await readFile(cleared, 'utf8')).toBe('cleared\n');
  });

  it('is charged no time in which no worker was there, as after a night with the lid closed', async () => {
    // Before any test here says that a worker is there: the alive log of this store has no entry, whatever the wall
    // clock says.
    const morning = join(harness.folder, 'morning');
    const handle = await harness.start(plan([waitsFor(0, morning)]), { lease: { runtime_ms: 500 } });
    // Each looks anew at what has been charged when the run time may be over.
    await expect
      .poll(async () => (await harness.events(handle.workflowId)).filter(({ type }) => type === 'timerStarted').length)
      .toBeGreaterThan(3);
    await writeFile(morning, '');
    expect(await outcomeOf(handle)).toMatchObject({ status: 'success' });
  });

  it('warns once when 80 % of its run time are used', async () => {
    const leave = harness.store.keepAlive();
    // Longer than its run time: its end is not before the warning.
    const handle = await harness.start(plan([commandStep(0, ['sleep', '600'])]), { lease: { runtime_ms: 2_000 } });
    await expect
      .poll(async () => (await handle.describe()).memo?.[MEMO.warnings])
      .toMatchObject([
        {
          limit: 'max_runtime_mins',
          message: expect.stringMatching(/^80 % of max_runtime_mins are used: \d(\.\d+)? of 0\.03 minutes$/) as string,
        },
      ]);
    await outcomeOf(handle);
    leave();
  });

  it('ends in timeout when its run time is over, and kills what runs', async () => {
    const leave = harness.store.keepAlive();
    const handle = await harness.start(plan([commandStep(0, ['sleep', '600'])]), { lease: { runtime_ms: 1_500 } });
    expect(await outcomeOf(handle)).toMatchObject({
      status: 'timeout',
      error: expect.stringContaining('max_runtime_mins') as string,
    });
    leave();
  });

  it('whose time is over while it is paused says both, one after the other, and goes on when it has both', async () => {
    const leave = harness.store.keepAlive();
    const go = join(harness.folder, 'both');
    const handle = await harness.start(plan([waitsFor(0, go), commandStep(1, ['true']), commandStep(2, ['true'])]), {
      lease: { steps: 2, runtime_ms: 1_500 },
      settings: { on_exhausted: { max_steps: 'pause', max_runtime_mins: 'pause' } },
    });
    await expect.poll(() => memoOf(handle)).toMatchObject({ cause: 'max_steps' });
    // Once for the warning, and once when it is over.
    await expect.poll(() => countsOfTime(handle), { timeout: 20_000 }).toBeGreaterThan(1);
    await writeFile(go, '');
    await expect.poll(() => memoOf(handle)).toMatchObject({ cause: 'max_steps' });
    await steer(handle, { kind: 'budget', add: { steps: 1 } });
    await expect
      .poll(() => memoOf(handle))
      .toMatchObject({ cause: 'max_runtime_mins', message: expect.stringContaining('0.03') as string });
    await steer(handle, { kind: 'budget', add: { minutes: 10 } });
    expect(await handle.result()).toMatchObject({ status: 'success', spend: { steps: 3 } });
    leave();
  });

  it('refuses what it has no limit for', async () => {
    const refused = join(harness.folder, 'refused');
    const handle = await harness.start(plan([waitsFor(0, refused)]));
    await expect(steer(handle, { kind: 'budget', add: { usd: 1 } })).rejects.toMatchObject({
      cause: { message: expect.stringContaining('max_cost_usd') as string },
    });
    await writeFile(refused, '');
    await handle.result();
  });
});

describe('a budget of steps', () => {
  it.each([0, 1, 2])('lets exactly 7 of 20 branches start, %i runs below', async (depth) => {
    const outcome = await outcomeOf(await harness.start(branches(20, depth), { lease: { steps: 7, slots: 10 } }));
    expect(outcome).toMatchObject({
      status: 'error',
      error: expect.stringContaining('max_steps: all 7 steps are used') as string,
      charged: { steps: 7 },
    });
    expect(outcome.spend.steps).toBe(7);
  });

  it.each([0, 1, 2])('that is just enough is no hindrance, %i runs below', async (depth) => {
    const outcome = await outcomeOf(await harness.start(branches(20, depth), { lease: { steps: 20, slots: 2 } }));
    expect(outcome).toMatchObject({ status: 'success', spend: { steps: 20 } });
  });

  it('costs a nested run at most one extra pair of events', async () => {
    const handle = await harness.start(branches(3, 1), { lease: { steps: 100, slots: 10 } });
    await handle.result();
    const events = await harness.events(`${handle.workflowId}/0`);
    expect(events.filter(({ type }) => /signal/i.test(type))).toEqual([]);
  });
});
