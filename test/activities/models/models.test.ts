import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ChooseModels } from '../../../src/activities/models/choice/choose.js';
import { chooseModels } from '../../../src/activities/models/choice/choose.js';
import { ollamaUrl } from '../../../src/activities/models/http/ollama-address.js';
import { BUILT_IN_PRICES } from '../../../src/activities/models/choice/price-table.js';
import { costOf } from '../../../src/activities/models/choice/prices.js';
import { NO_USAGE } from '../../../src/activities/models/protocol/provider.js';
import { retryAfterMs } from '../../../src/activities/models/http/retry-after.js';
import { standIn } from '../../../src/activities/models/stand-in.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { AgentStep } from '../../../src/plan/step.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { body, commandStep, plan, stepBase } from '../../plan/helpers/build-plan.js';
import { AGENT } from '../helpers/harness.js';

const HASH = `sha256:${'a'.repeat(64)}` as const;

describe('what a server asks to wait', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each<[string, Record<string, string>, number | null]>([
    ['nothing', {}, null],
    ['seconds', { 'retry-after': '12' }, 12_000],
    ['a part of a second', { 'retry-after': '0.5' }, 500],
    ['milliseconds first', { 'retry-after-ms': '750', 'retry-after': '12' }, 750],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    ['a date that has passed', { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 250],
    ['no time at all', { 'retry-after': '0' }, 250],
    ['a week', { 'retry-after': '604800' }, 86_400_000],
    ['nonsense', { 'retry-after': 'soon' }, null],
  ])('%s', (_what, headers, expected) => {
    expect(retryAfterMs((name) => headers[name] ?? null, now)).toBe(expected);
  });
});

describe('what a call costs', () => {
  const million = 1_000_000;
  it.each<[string, string, Partial<typeof NO_USAGE>, number | null]>([
    ['input and output', 'claude-opus-5-5', { input: million, output: million }, 24],
    [
      'each kind of cache',
      'claude-sonnet-5-5',
      { cache_read: million, cache_write_5m: million, cache_write_1h: million },
      6.6,
    ],
    ['a snapshot as its model', 'claude-haiku-4-5-20251001', { input: million }, 1],
    ['a short prompt of a model with tiers', 'claude-haiku-5-5', { input: 100_000, output: million }, 0.51],
    [
      'a long prompt of a model with tiers',
      'claude-haiku-5-5',
      { input: 50_000, cache_read: 60_000, output: million },
      2.528,
    ],
    ['nobody knows for an unknown model', 'gpt-9', { input: 1 }, null],
    ['nobody knows for an unknown part', 'claude-fable-5-2', { input: 1, cache_read: 1 }, null],
    ['nothing of an unknown part', 'claude-fable-5-2', { input: million }, 8],
  ])('%s', (_what, model, usage, usd) => {
    const cost = costOf(model, { ...NO_USAGE, ...usage });
    expect(cost === null ? null : Number(cost.toFixed(9))).toBe(usd);
  });

  it('is by the prices of the config first', () => {
    const price = { input: 1, output: 1, cache_read: null, cache_write_5m: null, cache_write_1h: null };
    expect(costOf('own-model', { ...NO_USAGE, input: million }, { 'own-model': price })).toBe(1);
  });

  it('has a price for every alias', () => {
    expect(Object.keys(BUILT_IN_PRICES)).toEqual(
      expect.arrayContaining(['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5', 'claude-fable-5-2']),
    );
  });
});

it.each([
  [undefined, 'http://localhost:11434'],
  ['', 'http://localhost:11434'],
  ['127.0.0.1', 'http://127.0.0.1:11434'],
  ['gpu.example:8080', 'http://gpu.example:8080'],
  ['0.0.0.0:11434', 'http://127.0.0.1:11434'],
  ['https://ollama.example', 'https://ollama.example'],
  ['http://h:1/base/', 'http://h:1/base'],
])('OLLAMA_HOST `%s` means %s', (host, url) => {
  expect(ollamaUrl(host)).toBe(url);
});

describe('a stand-in', () => {
  it.each([
    [
      {
        type: 'object',
        required: ['a'],
        properties: {
          a: { type: 'array', minItems: 2, uniqueItems: true, items: { type: 'string' } },
          b: { type: 'number', exclusiveMinimum: 3 },
        },
      },
    ],
    [
      {
        $ref: '#/$defs/node',
        $defs: {
          node: {
            type: 'object',
            required: ['name'],
            properties: {
              name: { type: 'string', maxLength: 5 },
              children: { type: 'array', items: { $ref: '#/$defs/node' } },
            },
          },
        },
      },
    ],
    [{ oneOf: [{ type: 'string', format: 'date' }, { type: 'null' }] }],
    [{ allOf: [{ type: 'object', required: ['x'] }, { properties: { x: { const: 4 } } }] }],
    [{ type: ['integer', 'null'], minimum: 7, multipleOf: 5 }],
    [{ type: 'integer', maximum: -2 }],
    [{ required: ['free'] }],
    [{ type: 'array', maxItems: 0 }],
    [{ type: 'string', format: 'constructor' }],
    [{ type: 'string', minLength: 400 }],
    [true],
  ])('satisfies %j', (schema) => {
    const value = standIn(schema, 'rehearsal');
    expect(new Ajv2020({ strict: false, validateFormats: false }).validate(schema, value)).toBe(true);
  });
});

describe('the models of a run', () => {
  function planWith(models: (string | null)[], agentModel: string | null = null): Plan {
    const steps = models.map((model, index): AgentStep => ({
      ...stepBase(index),
      kind: 'agent',
      agent: HASH,
      prompt: null,
      inputs: {},
      model,
      schema: null,
      rehearsal: null,
    }));
    return plan([commandStep(0, ['true'])], {
      agents: { [HASH]: { ...AGENT, model: agentModel } },
      nested: { [HASH]: body(steps) },
    });
  }
  const choose = (options: Partial<ChooseModels> & { plan: Plan }): ReturnType<typeof chooseModels> =>
    chooseModels({ options: {}, env: { OLLAMA_HOST: '127.0.0.1:9' }, rehearse: false, ...options });
  const withKey = { ANTHROPIC_API_KEY: 'k' };

  it('are none, and ask for no provider, where no agent is', async () => {
    expect(await choose({ plan: planWith([]) })).toEqual({ models: {} });
  });

  it('are the aliases by the config, then by ours, and full names as they are', async () => {
    const chosen = await choose({
      plan: planWith(['opus', 'fast', 'claude-x-1', 'anthropic:haiku', null]),
      env: withKey,
      options: { aliases: { fast: 'haiku', opus: 'claude-opus-4-6' }, default: 'opus' },
    });
    expect(chosen).toMatchObject({
      models: {
        opus: { provider: 'anthropic', model: 'claude-opus-4-6' },
        fast: { provider: 'anthropic', model: 'claude-haiku-5-5' },
        'claude-x-1': { provider: 'anthropic', model: 'claude-x-1' },
        'anthropic:haiku': { provider: 'anthropic', model: 'claude-haiku-5-5' },
        '': { provider: 'anthropic', model: 'claude-opus-4-6' },
      },
    });
  });

  it.each<[string, Record<string, string>, string | null, string]>([
    ['the config', { CLAUDE_MODEL: 'haiku' }, 'opus', 'claude-opus-5-5'],
    ['CLAUDE_MODEL', { CLAUDE_MODEL: 'haiku' }, null, 'claude-haiku-5-5'],
    ['`sonnet`', {}, null, 'claude-sonnet-5-5'],
  ])('that nobody names come from %s', async (_where, env, fallback, model) => {
    expect(
      await choose({ plan: planWith([null]), env: { ...withKey, ...env }, options: { default: fallback } }),
    ).toMatchObject({ models: { '': { provider: 'anthropic', model } } });
  });

  const priceOfModel = async (model: string, options: ChooseModels['options'] = {}): Promise<unknown> => {
    const chosen = await choose({ plan: planWith([model]), env: withKey, options });
    return 'models' in chosen ? chosen.models[model] : chosen;
  };

  it('carry their price: by the config, by the table, else what is assumed, and never nothing', async () => {
    expect(await priceOfModel('opus')).toMatchObject({ price: { input: 4, output: 20 }, max_tokens: 32_000 });
    expect(await priceOfModel('opus', { prices: { 'claude-opus-5-5': { input: 1, output: 2 } } })).toMatchObject({
      price: { input: 1, output: 2 },
    });
    expect(await priceOfModel('claude-next-9', { assume_price: { input: 7, output: 9 } })).toMatchObject({
      price: { input: 7, output: 9 },
      assumed: true,
    });
    expect(await priceOfModel('claude-next-9')).toMatchObject({ price: { input: 8, output: 40 }, assumed: true });
  });

  it('are chosen also for `on_exhausted`, of the Plan and of the config', async () => {
    const chosen = await choose({
      plan: { ...planWith([]), on_exhausted: { max_cost_usd: { degrade: 'haiku' } } },
      env: withKey,
      also: ['opus'],
    });
    expect(chosen).toMatchObject({
      models: { haiku: { model: 'claude-haiku-5-5' }, opus: { model: 'claude-opus-5-5' } },
    });
  });

  it('come from the agent where the step names none', async () => {
    expect(await choose({ plan: planWith([null], 'haiku'), env: withKey })).toMatchObject({
      models: { haiku: { provider: 'anthropic', model: 'claude-haiku-5-5' } },
    });
  });

  it('are those of a reachable Ollama where there is no key', async () => {
    const endpoint = await startModelEndpoint([], {
      ollamaModels: ['nomic-embed-text:latest', 'qwen3:latest', 'smol:135m'],
    });
    onTestFinished(() => endpoint.close());
    const env = { OLLAMA_HOST: endpoint.url };
    expect(await choose({ plan: planWith(['sonnet', 'smol:135m', 'ollama:qwen3']), env })).toMatchObject({
      models: {
        sonnet: { provider: 'ollama', model: 'qwen3:latest' },
        'smol:135m': { provider: 'ollama', model: 'smol:135m' },
        'ollama:qwen3': { provider: 'ollama', model: 'qwen3:latest' },
      },
    });
    expect(await choose({ plan: planWith(['ollama:nope']), env: { ...env, ...withKey } })).toEqual({
      failure: expect.stringContaining('ollama pull nope'),
    });
  });

  it.each([
    ['sonnet', {}, 'ANTHROPIC_API_KEY'],
    ['anthropic:sonnet', {}, 'ANTHROPIC_API_KEY'],
    ['ollama:qwen3', withKey, 'ollama serve'],
    ['openai:gpt-9', withKey, '`openai:gpt-9`'],
  ])('that cannot be had (`%s`) say what to set, and --rehearse', async (model, env, wanted) => {
    const chosen = await choose({ plan: planWith([model]), env: { OLLAMA_HOST: '127.0.0.1:9', ...env } });
    expect(chosen).toEqual({ failure: expect.stringContaining(wanted) });
  });

  it('are those of OpenAI, or of a server that speaks its protocol, where one can be reached', async () => {
    const openai = { OPENAI_API_KEY: 'o' };
    expect(
      await choose({ plan: planWith(['openai:gpt-9', 'gpt-9', 'o4', 'opus']), env: { ...withKey, ...openai } }),
    ).toMatchObject({
      models: {
        'openai:gpt-9': { provider: 'openai', model: 'gpt-9' },
        'gpt-9': { provider: 'openai' },
        o4: { provider: 'openai' },
        opus: { provider: 'anthropic' },
      },
    });
    expect(
      await choose({ plan: planWith(['openai:local']), env: { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } }),
    ).toMatchObject({ models: { 'openai:local': { provider: 'openai', model: 'local' } } });
  });

  it.each<[string, Record<string, string>, object]>([
    ['the config says', {}, { base_url: 'http://config', key: 'TEAM_KEY', concurrency: 3 }],
    [
      'the environment says, which goes before the config',
      { ANTHROPIC_BASE_URL: 'http://env' },
      { key: 'TEAM_KEY', concurrency: 3 },
    ],
  ])('are reached where %s', async (_who, env, place) => {
    const chosen = await choose({
      plan: planWith(['opus']),
      env: { TEAM_KEY: 'k', ...env },
      providers: { anthropic: { base_url: 'http://config', key: '${env.TEAM_KEY}', concurrency: 3 } },
    });
    const { provider, model, price, max_tokens, ...rest } =
      ('models' in chosen ? chosen.models['opus'] : undefined) ?? {};
    expect({ provider, model, price: price?.input, max_tokens, rest }).toEqual({
      provider: 'anthropic',
      model: 'claude-opus-5-5',
      price: 4,
      max_tokens: 32_000,
      rest: place,
    });
  });

  it('are not to be had while the variable that the config names is not set', async () => {
    expect(
      await choose({
        plan: planWith(['anthropic:opus']),
        env: withKey,
        providers: { anthropic: { key: '${env.TEAM_KEY}' } },
      }),
    ).toEqual({ failure: expect.stringContaining('key') });
  });

  it('are rehearsals when that is asked for, whatever else is there', async () => {
    expect(await choose({ plan: planWith(['opus', 'openai:gpt-9']), env: withKey, rehearse: true })).toMatchObject({
      models: {
        opus: { provider: 'rehearsal', model: 'claude-opus-5-5' },
        'openai:gpt-9': { provider: 'rehearsal', model: 'openai:gpt-9' },
      },
    });
  });
});
