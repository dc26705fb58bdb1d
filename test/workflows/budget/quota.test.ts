import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Activities } from '../../../src/activities/contract.js';
import { MEMO } from '../../../src/plan/names.js';
import type { ModelChoice } from '../../../src/plan/agents/model-choice.js';
import type { ModelEndpoint } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import type { WorkflowStep } from '../../../src/plan/step.js';
import { body, plan, stepBase } from '../../plan/helpers/build-plan.js';
import { record } from '../../replay/record.js';
import type { Harness, RunHandle, StartOptions } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { memosOf } from '../helpers/memos.js';
import { PARROT, PARROT_KEY, say } from '../helpers/parrot.js';
import { sendSteer } from '../helpers/updating.js';

/** 54 tokens of a thousandth of a dollar each: a call sets a little more aside, and room is left for no second one. */
const USAGE = { input: 4, output: 50 };
const COST = 0.054;
const QUOTA = { usd: null, user_usd: 0.1 };
const PRICE = { input: 1000, output: 1000, cache_read: null, cache_write_5m: null, cache_write_1h: null };
const DEAR: ModelChoice = { provider: 'anthropic', model: 'dear', max_tokens: 50, price: PRICE };

let harness: Harness;
let endpoint: ModelEndpoint;
beforeAll(async () => {
  endpoint = await startModelEndpoint(() => ({ text: 'said', usage: USAGE }));
  harness = await openHarness({ ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: endpoint.url });
});
afterAll(async () => {
  await harness.close();
  await endpoint.close();
});

const TWO = plan([say(0), say(1)], { agents: { [PARROT_KEY]: PARROT } });
const start = (by: string, settings: StartOptions['settings'], more: StartOptions = {}): Promise<RunHandle> =>
  harness.start(TWO, {
    lease: { usd: 10 },
    settings: { models: { '': DEAR }, submitted_by: by, quota: QUOTA, ...settings },
    ...more,
  });
const pauseOf = async (handle: RunHandle): Promise<unknown> => (await handle.describe()).memo?.[MEMO.paused];
const PAUSE = {
  cause: 'quota',
  message: expect.stringMatching(
    /^the next call may cost \$0\.\d+ and \$0\.05 is left of today's quota of `\w+`/,
  ) as string,
  until: expect.stringMatching(/T00:00:00\.000Z$/) as string,
};

describe('the quota of all runs', () => {
  it('pauses a run whose next call finds no room, until somebody raises it', async () => {
    const handle = await start('ana', {});
    await expect.poll(() => pauseOf(handle)).toMatchObject(PAUSE);
    const resume = (quota?: { usd: number | null; user_usd: number | null }): Promise<unknown> =>
      sendSteer(handle, { by: 'ana', id: randomUUID(), kind: 'resume', ...(quota === undefined ? {} : { quota }) });
    const before = (await pauseOf(handle)) as { since: string };
    await resume();
    await expect.poll(() => pauseOf(handle)).toMatchObject(PAUSE);
    await expect.poll(async () => ((await pauseOf(handle)) as typeof before).since).not.toBe(before.since);
    await resume({ usd: 20, user_usd: 1 });
    expect(await handle.result()).toMatchObject({ status: 'success', spend: { usd: 2 * COST } });
    await record('quota-raised', await handle.fetchHistory());
  });

  it('pauses and resumes a run as a whole where calls of nested runs find no room', async () => {
    const nested = (name: string): WorkflowStep => ({
      ...stepBase(0),
      kind: 'workflow',
      workflow: name,
      plan: `sha256:${name}`,
      inputs: {},
    });
    const below = {
      'sha256:inner': body([say(0), say(1)], { name: 'inner' }),
      'sha256:middle': body([nested('inner')], { name: 'middle' }),
    };
    const tree = plan([nested('middle')], { nested: below, agents: { [PARROT_KEY]: PARROT } });
    const settings = { models: { '': DEAR }, submitted_by: 'dee', quota: QUOTA };
    const handle = await harness.start(tree, { lease: { usd: 10 }, settings, id: 'quota-below' });
    await expect.poll(() => pauseOf(handle)).toMatchObject({ ...PAUSE, run: handle.workflowId });
    await sendSteer(handle, { by: 'dee', id: randomUUID(), kind: 'resume', quota: { usd: 20, user_usd: 1 } });
    expect(await handle.result()).toMatchObject({ status: 'success', spend: { usd: 2 * COST } });
    expect(await memosOf(handle, MEMO.paused)).toMatchObject([{ cause: 'quota' }, undefined]);
    for (const run of ['quota-below', 'quota-below/0', 'quota-below/0/0'])
      await record(run.replaceAll('/', '.'), await harness.client.workflow.getHandle(run).fetchHistory());
  });

  it('ends what is not to wait, having asked nothing more', async () => {
    const handle = await start('bo', { on_exhausted: { max_cost_usd: 'stop' } });
    const outcome = await handle.result();
    expect(outcome).toMatchObject({
      status: 'partial',
      error: expect.stringMatching(/^quota: the next call may cost/) as string,
      spend: { usd: COST },
    });
  });

  it('lets a run go on by itself when the day is over', async () => {
    const days: string[] = [];
    const stop = await harness.work('next-day', (activities): Partial<Activities> => ({
      callModel: async (call) => {
        if (days.length > 0 || Context.current().info.activityId !== '1') return activities.callModel(call);
        const until = new Date(Date.now() + 3_000).toISOString();
        days.push(until);
        const type = 'quota-used';
        throw ApplicationFailure.create({
          type,
          nonRetryable: true,
          message: 'it is used',
          details: [{ usd: 0.06, tokens: 60, until }],
        });
      },
    }));
    try {
      const handle = await start('cy', { quota: { usd: null, user_usd: 5 } }, { taskQueue: 'next-day' });
      expect(await handle.result()).toMatchObject({ status: 'success' });
      expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(days[0] ?? ''));
      const [pause] = await memosOf(handle, MEMO.paused);
      expect(pause).toMatchObject({ cause: 'quota', message: 'it is used' });
      await record('quota-next-day', await handle.fetchHistory());
    } finally {
      await stop();
    }
  });
});
