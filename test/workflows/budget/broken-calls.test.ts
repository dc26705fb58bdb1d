// @seconds 60
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import { MEMO } from '../../../src/plan/names.js';
import type { ModelChoice } from '../../../src/plan/agents/model-choice.js';
import type { RunOutcome } from '../../../src/plan/result.js';
import type { AgentStep, Step, WorkflowStep } from '../../../src/plan/step.js';
import { executionBudget } from '../../../src/cli/render/json.js';
import type { ModelEndpoint } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { until } from '../../faults/project.js';
import { foreach, single } from '../../plan/helpers/build-blocks.js';
import { after, body, plan, stepBase } from '../../plan/helpers/build-plan.js';
import { agent as talker, FILES, WORKER } from '../helpers/conversing.js';
import { foldOf, outcomeOf } from '../helpers/ended.js';
import type { Harness, RunHandle, StartOptions } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { PARROT, PARROT_KEY } from '../helpers/parrot.js';
import { sendSteer } from '../helpers/updating.js';
import { viewOf } from '../helpers/viewing.js';

/** A token costs a thousandth of a dollar; a step's call reserves $1.37, and that of a conversation a little more. */
const MODEL: ModelChoice = {
  provider: 'anthropic',
  model: 'dear',
  max_tokens: 1_000,
  price: { input: 1000, output: 1000, cache_read: null, cache_write_5m: null, cache_write_1h: null },
};
/** An answer costs so many tokens, and one that breaks off after 300 that were read and the words `so far`. */
const SAID = 350;
const CUT = 302;
/** One that is waited for costs nearly all that was reserved for it. */
const HUNG = 1_300;

let harness: Harness;
let endpoint: ModelEndpoint;
const release: (() => void)[] = [];
const mended = new Set<string>();
/**
 * `Break 2 a` breaks off twice, or until it is mended, and is answered then; `Hang` is answered when it is released.
 */
beforeAll(async () => {
  endpoint = await startModelEndpoint(({ prompt }) => {
    const [, question = '', times = 0] = /(Break (\d+) \S+)/.exec(prompt) ?? [];
    const usage = { input: 300, output: 50 };
    if (endpoint.countOf(question) <= Number(times) && !mended.has(question))
      return { failAfter: 'so far', kind: 'overloaded_error', message: 'Overloaded', usage: { input: 300, output: 1 } };
    return prompt.includes('Hang')
      ? {
          text: '',
          until: new Promise((resolve) => release.push(resolve)),
          rest: 'said',
          usage: { input: HUNG - 50, output: 50 },
        }
      : { text: 'said', usage };
  });
  harness = await openHarness({ ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: endpoint.url });
});
afterAll(async () => {
  await harness.close();
  await endpoint.close();
});

const ask = (index: number, prompt: string, fields: Partial<AgentStep> = {}): AgentStep => ({
  ...stepBase(index, { id: `s${index}`, needs: index === 0 ? [] : after(index - 1) }),
  kind: 'agent',
  agent: PARROT_KEY,
  prompt: { kind: 'literal', value: prompt },
  inputs: {},
  model: null,
  schema: null,
  rehearsal: null,
  ...fields,
});
const nested = (index: number): WorkflowStep => ({
  ...stepBase(index),
  kind: 'workflow',
  workflow: 'inner',
  plan: 'sha256:inner',
  inputs: {},
});

/** What of a question is the test's own: what the endpoint counts. */
const named = (times: number): string => `Break ${times} ${randomUUID()}`;

function start(steps: Step[], usd: number | null, more: StartOptions & { inner?: string } = {}): Promise<RunHandle> {
  const { inner = 'Say it.', settings, ...options } = more;
  return harness.start(
    plan(steps, {
      agents: { [PARROT_KEY]: PARROT, [WORKER]: talker({ uses: FILES.slice(0, 1) }) },
      nested: { 'sha256:inner': body([ask(0, inner)], { name: 'inner' }) },
    }),
    {
      lease: { usd },
      settings: { models: { '': MODEL }, budget: { ...NO_BUDGETS, max_cost_usd: usd }, ...settings },
      ...options,
    },
  );
}

/** How a run ended, as its result tells or as its record does where it was cancelled. */
const ended = async (handle: RunHandle): Promise<RunOutcome> => {
  const outcome = await outcomeOf(handle).catch(() => null);
  return outcome ?? until(() => harness.store.readRun(handle.workflowId));
};

/** All of it counts once, and nothing counts beside it. */
function costs({ spend, charged }: Pick<RunOutcome, 'spend' | 'charged'>, tokens: number): void {
  expect(spend.tokens).toBe(tokens);
  expect(spend.usd).toBeCloseTo(tokens / 1000, 9);
  expect(charged).toMatchObject({ tokens, usd: expect.closeTo(tokens / 1000, 9) as number });
  expect(charged?.assumed).toBeUndefined();
}

const paused = (handle: RunHandle): Promise<unknown> =>
  until(async () => (await handle.describe()).memo?.[MEMO.paused] ?? null);

/** Temporal waits before it makes this attempt of an activity of the run, or of one below. */
const waitsFor = (run: string, attempt: number): Promise<unknown> =>
  until(async () => {
    const { raw } = await harness.client.workflow.getHandle(run).describe();
    return (raw.pendingActivities ?? []).some((pending) => pending.attempt === attempt && Number(pending.state) === 1);
  });

describe('what calls cost that broke off counts', () => {
  type Made = [string, (question: string) => { steps: Step[]; inner?: string }, string];
  const made: Made[] = [
    ['a step', (question) => ({ steps: [ask(0, question)] }), ''],
    ['a conversation', (question) => ({ steps: [ask(0, question, { agent: WORKER })] }), ''],
    ['a nested run', (question) => ({ steps: [nested(0)], inner: question }), '/0'],
    [
      'an item of a foreach',
      (question) => ({ steps: [foreach(0, { kind: 'literal', value: [1] }, single(ask(0, question)))] }),
      '',
    ],
  ];
  const limits = [null, 100] as const;
  const each = made.flatMap((one) => limits.map((usd) => [...one, usd] as const));

  it.each(each)('with the answer that comes then: %s', async (_what, steps, _below, usd) => {
    const handle = await start(steps(named(2)).steps, usd, steps(named(2)));
    costs(await ended(handle), 2 * CUT + SAID);
  });

  it.each(each)('where the run is cancelled before the next attempt: %s', async (_what, steps, below, usd) => {
    const question = named(99);
    const handle = await start(steps(question).steps, usd, steps(question));
    await until(() => endpoint.countOf(question) >= 2);
    await waitsFor(`${handle.workflowId}${below}`, usd === null ? 3 : 2);
    await handle.cancel();
    const outcome = await ended(handle);
    expect(outcome.status).toBe('cancelled');
    costs(outcome, CUT * endpoint.countOf(question));
  });

  it.each(limits)('where the deadline passes before the next attempt, and viewers see it: %s', async (usd) => {
    const [question, hang] = [named(99), `Hang ${randomUUID()}`];
    const first = ask(0, question, { deadline_ms: 2_500, on_error: 'continue' });
    const handle = await start([first, ask(1, hang)], usd);
    await until(() => endpoint.countOf(hang) === 1);
    const tokens = CUT * endpoint.countOf(question);
    const view = await viewOf(harness, handle.workflowId);
    expect(view.spend.tokens).toBe(tokens);
    expect(view.steps[0]?.result?.spend.tokens).toBe(tokens);
    if (usd !== null) expect(executionBudget(view)['cost_remaining_usd']).toBeCloseTo(usd - tokens / 1000, 6);
    for (const one of release.splice(0)) one();
    costs(await ended(handle), tokens + HUNG);
  });
});

describe('a call that broke off and needs more than there is', () => {
  const policy = { on_exhausted: { max_cost_usd: 'stop' } } as const;
  const made: [string, Partial<AgentStep>, number][] = [
    ['a step', {}, 1.5],
    ['a conversation', { agent: WORKER }, 2],
  ];
  it.each(made)('has been asked, and is paid for, where the run stops: %s', async (_what, fields, usd) => {
    const question = named(99);
    const outcome = await ended(await start([ask(0, question, fields), ask(1, 'Say it.')], usd, { settings: policy }));
    const tokens = CUT * endpoint.countOf(question);
    const left = `$${(usd - tokens / 1000).toFixed(2)} is left of $${usd.toFixed(2)}`;
    expect(outcome).toMatchObject({ status: 'partial', error: expect.stringContaining(left) as string });
    costs(outcome, tokens);
    const { s0, s1 } = await harness.results(outcome);
    expect(s0).toMatchObject({ status: 'error', failure: 'limit-reached', spend: { tokens, steps: 1 } });
    expect(s1).toMatchObject({ status: 'skipped', spend: { tokens: 0, steps: 0 } });
  });

  it.each(made)('waits with what it has cost told, and goes on from there: %s', async (_what, fields, usd) => {
    const question = named(99);
    const handle = await start([ask(0, question, fields)], usd);
    await paused(handle);
    const tokens = CUT * endpoint.countOf(question);
    const view = await viewOf(harness, handle.workflowId);
    expect(view.spend.tokens).toBe(tokens);
    expect(executionBudget(view)['cost_remaining_usd']).toBeCloseTo(usd - tokens / 1000, 6);
    mended.add(question);
    await sendSteer(handle, { by: 'ana', id: randomUUID(), kind: 'budget', add: { usd: 1 } });
    const outcome = await ended(handle);
    costs(outcome, tokens + SAID);
    expect(await harness.results(outcome)).toMatchObject({ s0: { attempts: 1, spend: { steps: 1 } } });
    const fold = await foldOf(handle);
    expect(fold.top.schedule.spend.tokens).toBe(tokens + SAID);
  });

  it.each<[string, (handle: RunHandle) => Promise<unknown>]>([
    ['cancelled', (handle) => handle.cancel()],
    ['aborted', (handle) => sendSteer(handle, { by: 'ana', id: randomUUID(), kind: 'abort' })],
  ])('has failed where the run that waits is %s', async (_how, end) => {
    const question = named(99);
    const handle = await start([ask(0, question)], 1.5);
    await paused(handle);
    await end(handle);
    const outcome = await ended(handle);
    costs(outcome, CUT * endpoint.countOf(question));
    expect(await harness.results(outcome)).toMatchObject({ s0: { status: 'error' } });
  });

  it('is paid for in the run above, whose limit holds', async () => {
    const question = named(99);
    const one = foreach(0, { kind: 'literal', value: [1, 2, 3] }, single({ ...nested(0), on_error: 'continue' }));
    const inner = { ...body([ask(0, question)], { name: 'inner' }), budgets: { ...NO_BUDGETS, max_cost_usd: 1.5 } };
    const handle = await harness.start(
      plan([{ ...one, max_parallel: 1 }], {
        agents: { [PARROT_KEY]: PARROT },
        nested: { 'sha256:inner': { ...inner, on_exhausted: policy.on_exhausted } },
      }),
      {
        lease: { usd: 2 },
        settings: { models: { '': MODEL }, budget: { ...NO_BUDGETS, max_cost_usd: 2 }, ...policy },
      },
    );
    costs(await ended(handle), CUT * endpoint.countOf(question));
    expect(endpoint.countOf(question)).toBe(4);
  });

  it('goes on in the next link of its run, and counts once', async () => {
    const hang = `Hang ${randomUUID()}`;
    const apart = { needs: [] };
    const question = named(99);
    const steps = [ask(0, question, apart), ask(1, hang, apart), ask(2, 'Say it.', { needs: after(1) })];
    const handle = await start(steps, 2.75, { linkSteps: 1 });
    // It is refused, and waits for what the other one may give back.
    await until(async () =>
      (await harness.events(handle.workflowId)).some(({ type }) => type === 'activityTaskFailed'),
    );
    for (const one of release.splice(0)) one();
    await paused(handle);
    const tokens = CUT * endpoint.countOf(question);
    mended.add(question);
    const next = await until(async () => {
      const now = harness.client.workflow.getHandle(handle.workflowId);
      return (await now.describe()).runId === handle.firstExecutionRunId ? null : now;
    });
    await sendSteer(next, { by: 'ana', id: randomUUID(), kind: 'budget', add: { usd: 5 } });
    costs(await ended(handle), tokens + HUNG + 2 * SAID);
  });
});

describe('a call that breaks off again and again', () => {
  it.each<[string, Partial<AgentStep>]>([
    ['a step', {}],
    ['a conversation', { agent: WORKER }],
  ])(
    'is asked with growing pauses, for as long as its step may take, whatever is reserved: %s',
    async (_what, fields) => {
      const calls = await Promise.all(
        [null, 100].map(async (usd) => {
          const question = named(99);
          const step = ask(0, question, { timeout_ms: 2_500, ...fields });
          const outcome = await ended(await start([step], usd));
          expect(outcome.status).toMatch(/error|timeout/);
          costs(outcome, CUT * endpoint.countOf(question));
          return endpoint.countOf(question);
        }),
      );
      // At once, and after 1 and 2 s more.
      for (const count of calls) expect(count).toBeLessThanOrEqual(3);
    },
  );
});
