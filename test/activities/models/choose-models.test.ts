import { describe, expect, it, onTestFinished } from 'vitest';
import type { ChooseModels } from '../../../src/activities/models/choice/choose.js';
import { chooseModels } from '../../../src/activities/models/choice/choose.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { AgentStep } from '../../../src/plan/step.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { body, commandStep, plan, stepBase } from '../../plan/helpers/build-plan.js';
import { AGENT } from '../helpers/harness.js';

const HASH = `sha256:${'a'.repeat(64)}` as const;

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
      // its caches stay the share of its input that they are in the table
      price: { input: 1, output: 2, cache_read: 0.05, cache_write_5m: 1.25, cache_write_1h: 2 },
    });
    expect(await priceOfModel('claude-next-9', { prices: { 'claude-next-9': { input: 3, output: 9 } } })).toMatchObject(
      {
        price: { input: 3, output: 9, cache_read: 3, cache_write_5m: 3.75, cache_write_1h: 6 },
      },
    );
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
    ['ollama:qwen3', { OLLAMA_HOST: 'http://[bad' }, 'http://[bad'],
    ['openai:gpt-9', withKey, '`openai:gpt-9`'],
  ])('that cannot be had (`%s`) say what to set, and --rehearse', async (model, env, wanted) => {
    const chosen = await choose({ plan: planWith([model]), env: { OLLAMA_HOST: '127.0.0.1:9', ...env } });
    expect(chosen).toEqual({ failure: expect.stringContaining(wanted) });
  });

  it('are chosen all the same where the address of Ollama is none, and nobody needs it', async () => {
    const chosen = await choose({ plan: planWith(['sonnet']), env: { ...withKey, OLLAMA_HOST: 'http://[bad' } });
    expect(chosen).toHaveProperty('models');
  });

  it.each(['ollama:qwen3', 'sonnet'])('that cannot be had (`%s`) tell no password of an address', async (model) => {
    const chosen = await choose({ plan: planWith([model]), env: { OLLAMA_HOST: 'http://ana:canary-77@127.0.0.1:9' } });
    expect(chosen).toEqual({ failure: expect.stringMatching(/ http:\/\/127\.0\.0\.1:9[:;]/) });
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
