// @seconds 20
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { RunOutcome } from '../../../src/plan/result.js';
import type { ModelChoice } from '../../../src/plan/agents/model-choice.js';
import type { AgentStep, Step, WorkflowStep } from '../../../src/plan/step.js';
import type { ModelEndpoint } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { until } from '../../faults/project.js';
import { foreach, loop, single } from '../../plan/helpers/build-blocks.js';
import { after, body, needs, plan, stepBase } from '../../plan/helpers/build-plan.js';
import type { Harness, RunHandle } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { PARROT, PARROT_KEY } from '../helpers/parrot.js';
import { agent as talker, WORKER } from '../helpers/conversing.js';

/**
 * A token costs a thousandth of a dollar. `Say` is answered at once, with 350 tokens; `Hang` never, after 300 that were
 * read and the words `so far`.
 */
const MODEL: ModelChoice = {
  provider: 'anthropic',
  model: 'dear',
  max_tokens: 1_000,
  price: { input: 1000, output: 1000, cache_read: null, cache_write_5m: null, cache_write_1h: null },
};
const SAID = 350;
const CUT = 302;

let harness: Harness;
let endpoint: ModelEndpoint;
const release: (() => void)[] = [];
beforeAll(async () => {
  endpoint = await startModelEndpoint(({ prompt }) =>
    prompt.includes('Hang')
      ? {
          text: 'so far',
          until: new Promise((resolve) => release.push(resolve)),
          rest: '',
          usage: { input: 300, output: 1 },
        }
      : { text: 'said', usage: { input: 300, output: 50 } },
  );
  harness = await openHarness({ ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: endpoint.url });
});
afterEach(() => {
  for (const one of release.splice(0)) one();
});
afterAll(async () => {
  await harness.close();
  await endpoint.close();
});

const ask = (index: number, prompt: string, fields: Partial<AgentStep> = {}): AgentStep => ({
  ...stepBase(index, { needs: index === 0 ? [] : after(index - 1) }),
  kind: 'agent',
  agent: PARROT_KEY,
  prompt: { kind: 'literal', value: prompt },
  inputs: {},
  model: null,
  schema: null,
  rehearsal: null,
  ...fields,
});
const nested = (index: number, name: string, fields: Partial<WorkflowStep> = {}): WorkflowStep => ({
  ...stepBase(index),
  kind: 'workflow',
  workflow: name,
  plan: `sha256:${name}`,
  inputs: {},
  ...fields,
});
const leaf = body([ask(0, 'Say it.'), ask(1, 'Hang on.')], { name: 'leaf' });
const quiet = body([ask(0, 'Say it.'), ask(1, 'Say more.')], { name: 'quiet' });
const made = (steps: Step[]): Plan =>
  plan(steps, {
    agents: { [PARROT_KEY]: PARROT, [WORKER]: talker() },
    nested: {
      'sha256:leaf': leaf,
      'sha256:middle': body([nested(0, 'leaf')], { name: 'middle' }),
      'sha256:quiet': quiet,
      'sha256:deep': body([nested(0, 'quiet'), nested(1, 'quiet')], { name: 'deep' }),
    },
  });
const start = (steps: Step[]): Promise<RunHandle> =>
  harness.start(made(steps), {
    lease: { usd: 100, tokens: 100_000 },
    settings: { models: { '': MODEL }, budget: { ...NO_BUDGETS, max_cost_usd: 100, max_tokens: 100_000 } },
  });

/** How a run ended, as its result tells or as its record does where it was cancelled. */
async function ended(handle: RunHandle): Promise<RunOutcome> {
  try {
    return await handle.result();
  } catch (error) {
    if (error instanceof WorkflowFailedError && error.cause instanceof ApplicationFailure)
      return error.cause.details?.[0] as RunOutcome; // as runFailure makes it
    return until(() => harness.store.readRun(handle.workflowId));
  }
}

/** The model has begun to say what it never comes to the end of. */
const begun = (): Promise<unknown> => until(() => release.length > 0);

function costs({ spend, charged }: RunOutcome, tokens: number): void {
  expect(spend.tokens).toBe(tokens);
  expect(spend.usd).toBeCloseTo(tokens / 1000, 9);
  expect(charged).toMatchObject({ tokens, usd: expect.closeTo(tokens / 1000, 9) as number });
  expect(charged?.assumed).toBeUndefined();
}

describe('what is spent counts once, however deep', () => {
  const say = (fields: Partial<AgentStep> = {}): AgentStep => ask(0, 'Say it.', fields);
  const each = (inner: Step): Step => foreach(0, { kind: 'literal', value: [1, 2] }, single(inner));
  const rounds = (inner: Step): Step =>
    loop(0, { kind: 'literal', value: false }, single(inner), { max: 2, at_max: 'continue' });
  it.each<[string, Step, number]>([
    ['a step', say(), 1],
    ['a conversation', say({ agent: WORKER }), 1],
    ['a nested run', nested(0, 'quiet'), 2],
    ['a run nested twice', nested(0, 'deep'), 4],
    ['the items of a foreach', each(say()), 2],
    ['the rounds of a loop', rounds(say()), 2],
    ['nested runs in the items of loops', each(rounds(nested(0, 'quiet'))), 8],
  ])('in %s', async (_what, step, calls) => {
    const outcome = await ended(await start([step]));
    expect([outcome.status, outcome.error]).toEqual(['success', null]);
    costs(outcome, calls * SAID);
  });
});

describe('what was spent by then counts', () => {
  it.each<[string, Step[], number]>([
    ['a step', [ask(0, 'Say it.'), ask(1, 'Hang on.')], SAID + CUT],
    ['a nested run', [nested(0, 'leaf')], SAID + CUT],
    ['a run nested twice', [ask(0, 'Say it.'), { ...nested(1, 'middle'), needs: needs(0) }], 2 * SAID + CUT],
    ['a conversation', [{ ...ask(0, 'Hang on.'), agent: WORKER }], CUT],
  ])('where the run is cancelled: %s', async (_what, steps, tokens) => {
    const handle = await start(steps);
    await begun();
    await handle.cancel();
    const outcome = await ended(handle);
    expect(outcome.status).toBe('cancelled');
    costs(outcome, tokens);
  });

  it('of a step or nested run whose time is over, or whose deadline has passed', async () => {
    // Side by side, and with time enough for each to have heard of its model by then, however busy the machine is.
    const runs = await Promise.all([
      start([ask(0, 'Say it.'), ask(1, 'Hang on.', { timeout_ms: 10_000 })]),
      start([ask(0, 'Say it.'), ask(1, 'Hang on.', { deadline_ms: 10_000 })]),
      start([nested(0, 'leaf', { timeout_ms: 12_000 })]),
    ]);
    for (const outcome of await Promise.all(runs.map(ended))) {
      expect(outcome.status).toMatch(/error|timeout/);
      costs(outcome, SAID + CUT);
    }
  });

  it('of a nested run that others cancelled', async () => {
    const handle = await start([nested(0, 'leaf', { id: 'inner' })]);
    await begun();
    await harness.client.workflow.getHandle(`${handle.workflowId}/inner`).cancel();
    const outcome = await ended(handle);
    expect(outcome).toMatchObject({ status: 'error', error: expect.stringContaining('cancelled') as string });
    costs(outcome, SAID + CUT);
    expect(await harness.results(outcome)).toMatchObject({ inner: { spend: { tokens: SAID + CUT } } });
  });
});
