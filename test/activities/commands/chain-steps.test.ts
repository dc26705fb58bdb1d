import { describe, expect, it, onTestFinished } from 'vitest';
import { chooseModels } from '../../../src/activities/models/choice/choose.js';
import type { AgentStep } from '../../../src/plan/step.js';
import type { ModelEndpoint } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { plan, stepBase } from '../../plan/helpers/build-plan.js';
import { AGENT, callModel, createBench, failureOf, literal, read, shell } from '../helpers/harness.js';

async function endpointOf(...answers: string[]): Promise<ModelEndpoint> {
  const endpoint = await startModelEndpoint(
    answers.map((text) => ({ text })),
    { ollamaModels: ['llama3.1:8b'] },
  );
  onTestFinished(() => endpoint.close());
  return endpoint;
}

describe('an output that is converted', () => {
  it.each([
    ['42', 42],
    ['11.0', 11],
    [' 7\n', 7],
    ['-3.5', -3.5],
    ['+1', 1],
    ['.5', 0.5],
    ['2.', 2],
    ['1e3', 1000],
    ['007', 7],
  ])('is a number: %j', async (said, value) => {
    const bench = await createBench();
    const { output } = await shell(bench, 'printf "%s" "$SAID"', { env: { SAID: literal(said) }, output_as: 'number' });
    expect(await read(bench, output)).toBe(value);
  });

  it.each(['', 'about 42', '42 words', 'nan', 'inf', '1_000', '0x10', '1e999', '9007199254740993', '1,5', '٤٢'])(
    'is no number, and fails the step: %j',
    async (said) => {
      const bench = await createBench();
      const failure = await failureOf(
        shell(bench, 'printf "%s" "$SAID"', { env: { SAID: literal(said) }, output_as: 'number' }),
      );
      expect(failure).toMatchObject({
        type: 'output-invalid',
        nonRetryable: true,
        message: `cannot convert output to number: '${said}'`,
      });
    },
  );

  it('is trimmed on both sides, and kept inside', async () => {
    const bench = await createBench();
    expect(await read(bench, (await shell(bench, 'printf "\\n  a  b\\n\\n"', { output_as: 'trimmed' })).output)).toBe(
      'a  b',
    );
  });

  it('of a model fails at once where it is no number: nothing is asked again', async () => {
    const endpoint = await endpointOf('many');
    const bench = await createBench({ credentials: { OLLAMA_HOST: endpoint.url } });
    const failure = await failureOf(
      callModel(bench, { output_as: 'number', model_choice: { provider: 'ollama', model: 'llama3.1:8b' } }),
    );
    expect(failure.message).toBe("cannot convert output to number: 'many'");
    expect(endpoint.requests).toHaveLength(1);
  });
});

describe('an agent with an empty request', () => {
  it('is sent its instruction as the system message, and no other, where the provider takes that', async () => {
    const endpoint = await endpointOf('fine');
    const bench = await createBench({ credentials: { OLLAMA_HOST: 'http://127.0.0.1:9' } });
    const agentFields = { params: { temperature: 0, num_ctx: 2048, keep_alive: '5m' }, base_url: endpoint.url };
    await callModel(bench, {
      prompt: literal(''),
      agentFields,
      model_choice: { provider: 'ollama', model: 'llama3.1:8b', base_url: endpoint.url },
    });
    expect(endpoint.requests[0]?.body).toMatchObject({
      messages: [{ role: 'system', content: 'You review.' }],
      options: { temperature: 0, num_ctx: 2048 },
      keep_alive: '5m',
    });
  });

  it('is sent its instruction as the message of the user where the provider demands one', async () => {
    const endpoint = await endpointOf('fine');
    const bench = await createBench({ credentials: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: endpoint.url } });
    await callModel(bench, {
      prompt: literal(''),
      model_choice: { provider: 'anthropic', model: 'claude-opus-4-6' },
      agentFields: { params: { max_tokens: 100, temperature: 0.5 } },
    });
    expect(endpoint.requests[0]).toMatchObject({
      system: '',
      messages: [{ role: 'user', text: 'You review.' }],
      body: { max_tokens: 100, temperature: 0.5 },
    });
    expect(endpoint.requests[0]?.body).not.toHaveProperty('system');
  });
});

describe('the model of an agent', () => {
  const HASH = `sha256:${'a'.repeat(64)}` as const;
  const step: AgentStep = {
    ...stepBase(0),
    kind: 'agent',
    agent: HASH,
    prompt: null,
    inputs: {},
    model: null,
    schema: null,
    rehearsal: null,
  };
  const choose = (fields: object, env: Record<string, string> = {}, options = {}) =>
    chooseModels({
      plan: plan([step], { agents: { [HASH]: { ...AGENT, ...fields } } }),
      options,
      env: { OLLAMA_HOST: '127.0.0.1:9', ...env },
      rehearse: false,
    });

  it('is looked for at the address that the definition names, and called there', async () => {
    const { url } = await endpointOf();
    expect(await choose({ model: 'ollama:llama3.1:8b', base_url: url })).toMatchObject({
      models: { [`ollama:llama3.1:8b ${url}`]: { provider: 'ollama', model: 'llama3.1:8b', base_url: url } },
    });
    expect(await choose({ model: 'ollama:llama3', base_url: url })).toEqual({
      failure: expect.stringContaining(`Ollama at ${url} does not have the model \`llama3\``) as string,
    });
  });

  it('never goes to another provider than the one that is named', async () => {
    expect(await choose({ model: 'ollama:llama3.1:8b' }, { ANTHROPIC_API_KEY: 'k' })).toEqual({
      failure: expect.stringContaining('needs Ollama') as string,
    });
    expect(await choose({ model: 'openai:gpt-5' }, { ANTHROPIC_API_KEY: 'k' })).toEqual({
      failure: expect.stringContaining('`openai:gpt-5`') as string,
    });
  });

  it.each([
    [['*'], true],
    [['anthropic:claude-*'], true],
    [['ANTHROPIC:CLAUDE-SONNET-?-5'], true],
    [['openai:*', 'claude-sonnet*'], true],
    [['openai:*'], false],
    [['claude'], false],
    [['*haiku*'], false],
    [[`${'*a'.repeat(40)}*`], false],
  ])('must fit one of the patterns that an agent gives: %j', async (compatible_models, fits) => {
    expect('models' in (await choose({ compatible_models }, { ANTHROPIC_API_KEY: 'k' }))).toBe(fits);
  });
});
