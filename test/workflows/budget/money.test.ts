import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { assemble } from '../../../src/cli/observe/assemble.js';
import { MEMO } from '../../../src/plan/names.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { Agent, WorkflowStep } from '../../../src/plan/step.js';
import type { ModelChoice } from '../../../src/plan/agents/model-choice.js';
import type { Additions, SteerReceipt } from '../../../src/plan/budget/steering.js';
import type { ModelEndpoint } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { after, body, commandStep, plan, stepBase } from '../../plan/helpers/build-plan.js';
import { record } from '../../replay/record.js';
import { foldOf, outcomeOf } from '../helpers/ended.js';
import type { Harness, RunHandle, StartOptions } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { PARROT, PARROT_KEY, say } from '../helpers/parrot.js';
import { sendSteer } from '../helpers/updating.js';
import { viewOf } from '../helpers/viewing.js';

/** 350 tokens of a thousandth of a dollar each: a call costs 35 cents, and reserves a little more. */
const USAGE = { input: 300, output: 50 };
const price = (usd: number): NonNullable<ModelChoice['price']> => ({
  input: usd,
  output: usd,
  cache_read: null,
  cache_write_5m: null,
  cache_write_1h: null,
});
const DEAR: ModelChoice = { provider: 'anthropic', model: 'dear', max_tokens: 50, price: price(1000) };
const CHEAP: ModelChoice = { ...DEAR, model: 'cheap', price: price(1) };

let harness: Harness;
let endpoint: ModelEndpoint;
let asked = 0;
beforeAll(async () => {
  endpoint = await startModelEndpoint(() => ({ text: 'said', usage: USAGE }));
  harness = await openHarness({ ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: endpoint.url });
});
afterEach(() => {
  asked = endpoint.requests.length;
});
afterAll(async () => {
  await harness.close();
  await endpoint.close();
});

const calls = (count: number): Plan =>
  plan(
    Array.from({ length: count }, (_, index) => say(index)),
    { agents: { [PARROT_KEY]: PARROT } },
  );
/** A call of an agent with settings of its model. */
const limited = (params: Agent['params']): Plan =>
  plan([say(0)], { agents: { [PARROT_KEY]: { ...PARROT, ...(params === undefined ? {} : { params }) } } });
const start = (
  made: Plan,
  lease: StartOptions['lease'] = {},
  settings: StartOptions['settings'] = {},
): Promise<RunHandle> => harness.start(made, { lease, settings: { models: { '': DEAR, cheap: CHEAP }, ...settings } });
const models = (): string[] => endpoint.requests.slice(asked).map(({ model }) => model);
const memoOf = async (handle: RunHandle, key: string): Promise<unknown> => (await handle.describe()).memo?.[key];
const steer = (
  handle: RunHandle,
  wish: { kind: 'abort' } | { kind: 'budget'; add: Additions },
): Promise<SteerReceipt> => sendSteer(handle, { by: 'ana', id: randomUUID(), ...wish });

describe('a limit of money', () => {
  it('pauses before what it does not cover, says what that needs, and a top-up repeats nothing', async () => {
    const handle = await start(calls(3), { usd: 1 });
    await expect
      .poll(() => memoOf(handle, MEMO.paused))
      .toMatchObject({
        cause: 'max_cost_usd',
        message: expect.stringMatching(/^the next step may cost \$0\.\d+ and \$0\.30 is left of \$1\.00$/) as string,
      });
    expect(models()).toHaveLength(2);
    await steer(handle, { kind: 'budget', add: { usd: 1 } });
    const outcome = await outcomeOf(handle);
    expect([outcome.status, outcome.spend.usd?.toFixed(2), models().length]).toEqual(['success', '1.05', 3]);
    await record('money-added', await handle.fetchHistory());
  });

  it('is never overshot, and an abort keeps what is done', async () => {
    const handle = await start(calls(3), { usd: 1 });
    await expect.poll(() => memoOf(handle, MEMO.paused)).toMatchObject({ cause: 'max_cost_usd' });
    await steer(handle, { kind: 'abort' });
    const outcome = await outcomeOf(handle);
    expect([outcome.status, outcome.spend.usd?.toFixed(2), models().length]).toEqual(['partial', '0.70', 2]);
  });

  it('goes on with a cheaper model where it says so', async () => {
    const handle = await start(calls(4), { usd: 1 }, { on_exhausted: { max_cost_usd: { degrade: 'cheap' } } });
    const outcome = await outcomeOf(handle);
    const told = ['dear', 'dear', 'cheap', 'cheap'];
    expect([outcome.status, models()]).toEqual(['success', told]);
    expect((await viewOf(harness, handle.workflowId)).steps.map(({ model }) => model)).toEqual(told);
    const { steps } = assemble(await foldOf(handle), { folds: new Map(), pending: new Map() });
    expect(steps.map(({ result, model }) => [result?.model, model])).toEqual([
      [undefined, 'dear'],
      [undefined, 'dear'],
      ['cheap', 'cheap'],
      ['cheap', 'cheap'],
    ]);
    const written = Object.values(await harness.results(outcome));
    expect(written.map(({ model }) => model)).toEqual([undefined, undefined, 'cheap', 'cheap']);
  });

  it('goes on with a cheaper model in a run two levels down, which waits for money when the limit is met', async () => {
    const below = (workflow: string): WorkflowStep => ({
      ...stepBase(0),
      kind: 'workflow',
      workflow,
      plan: `sha256:${workflow}`,
      inputs: {},
    });
    const tree = plan([below('middle')], {
      agents: { [PARROT_KEY]: PARROT },
      nested: {
        'sha256:middle': body([below('leaf')], { name: 'middle' }),
        'sha256:leaf': body(calls(4).steps, { name: 'leaf' }),
      },
    });
    const handle = await start(tree, { usd: 1 }, { on_exhausted: { max_cost_usd: { degrade: 'cheap' } } });
    expect([(await outcomeOf(handle)).status, models()]).toEqual(['success', ['dear', 'dear', 'cheap', 'cheap']]);
  });

  it.each<[ModelChoice['provider'], Agent['params']]>([
    ['anthropic', { max_tokens: 64_000 }],
    ['openai', { max_completion_tokens: 64_000 }],
    ['openai', { n_predict: 64_000 }],
  ])('holds for %s also where the agent asks for longer answers (%j)', async (provider, params) => {
    const handle = await start(limited(params), { usd: 1 }, { models: { '': { ...DEAR, provider } } });
    await expect
      .poll(() => memoOf(handle, MEMO.paused))
      .toMatchObject({ message: expect.stringMatching(/^the next step may cost \$64/) as string });
    await steer(handle, { kind: 'abort' });
    expect(await outcomeOf(handle)).toMatchObject({ status: 'error' });
    expect(models()).toEqual([]);
  });

  it('reserves no more than the agent lets an answer have', async () => {
    const long = { ...DEAR, max_tokens: 64_000 };
    const outcome = await outcomeOf(await start(limited({ max_tokens: 50 }), { usd: 1 }, { models: { '': long } }));
    expect([outcome.status, models()]).toEqual(['success', ['dear']]);
  });

  it('counts the reservation of a call whose price nobody knows', async () => {
    const outcome = await outcomeOf(await start(calls(1), { usd: 10 }, { models: { '': { ...DEAR, assumed: true } } }));
    expect(outcome.spend.usd).toBe(null);
    expect(outcome.charged?.usd).toBeGreaterThan(0.35);
  });
});

describe('a limit of tokens', () => {
  it('stops before what it does not cover: what is done counts', async () => {
    const outcome = await outcomeOf(await start(calls(3), { tokens: 1_000 }));
    expect(outcome).toMatchObject({
      status: 'partial',
      error: expect.stringMatching(
        /^max_tokens: the next step may take \d+ tokens and 300 are left of 1,000/,
      ) as string,
      spend: { tokens: 700 },
    });
    expect(models()).toHaveLength(2);
  });
});

describe('a limit that has stopped a run', () => {
  it('leaves a failure where nothing was done', async () => {
    const outcome = await outcomeOf(await start(calls(2), { tokens: 10 }));
    expect(outcome).toMatchObject({ status: 'error', error: expect.stringMatching(/^max_tokens: /) as string });
    expect(models()).toEqual([]);
  });

  it('does not outrank a step that stops it too', async () => {
    const marker = join(harness.folder, 'refused');
    const stops = commandStep(3, ['sh', '-c', 'until [ -e "$0" ]; do sleep 0.05; done; exit 7', marker]);
    const work = plan([...calls(3).steps, stops], { agents: { [PARROT_KEY]: PARROT } });
    const handle = await start(work, { tokens: 1_000 });
    await expect
      .poll(async () => (await viewOf(harness, handle.workflowId)).steps.map(({ status }) => status))
      .toEqual(['success', 'success', expect.any(String), 'running']);
    await writeFile(marker, '');
    expect(await outcomeOf(handle)).toMatchObject({
      status: 'error',
      error: expect.stringMatching(/^max_tokens: the next step may take .*\n3: .*7/) as string,
    });
  });
});

describe('a limit of which 80 % are used', () => {
  it('is told of once', async () => {
    const handle = await start(
      plan(
        Array.from({ length: 5 }, (_, index) =>
          commandStep(index, ['true'], { needs: index === 0 ? [] : after(index - 1) }),
        ),
      ),
      { steps: 5 },
    );
    await handle.result();
    expect(await memoOf(handle, MEMO.warnings)).toMatchObject([
      { limit: 'max_steps', message: '80 % of max_steps are used: 4 of 5' },
    ]);
    const upserts = (await harness.events(handle.workflowId)).filter(
      ({ type }) => type === 'workflowPropertiesModified',
    );
    expect(upserts).toHaveLength(1);
  });
});
