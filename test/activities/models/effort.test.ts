import { expect, it, onTestFinished } from 'vitest';
import { effortFor } from '../../../src/plan/agents/model-rules.js';
import { claude } from '../../../src/activities/programs/claude.js';
import { codex } from '../../../src/activities/programs/codex.js';
import type { ProgramTask } from '../../../src/activities/programs/program.js';
import type { ModelChoice } from '../../../src/plan/agents/model-choice.js';
import type { Effort } from '../../../src/plan/names.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { callModel, createBench } from '../helpers/harness.js';

it.each<[ModelChoice['provider'], string, Effort, Effort | undefined]>([
  ['anthropic', 'claude-opus-5-5', 'xhigh', 'xhigh'],
  ['anthropic', 'claude-opus-4-6', 'max', 'max'],
  ['anthropic', 'claude-opus-4-6', 'xhigh', 'high'],
  ['anthropic', 'claude-opus-4-5', 'max', 'high'],
  ['anthropic', 'claude-haiku-4-5', 'high', undefined],
  ['openai', 'gpt-5.2', 'max', 'high'],
  ['openai', 'gpt-4.1', 'high', undefined],
  ['ollama', 'gpt-oss:20b', 'low', 'low'],
  ['ollama', 'qwen3', 'low', undefined],
])('%s with `%s` thinks, told %s, as told %s', (provider, model, effort, told) => {
  expect(effortFor(provider, model, effort)).toBe(told);
});

it('is asked of the provider, beside the form of the answer', async () => {
  const endpoint = await startModelEndpoint([{ text: '{"n":1}' }, { text: 'Fine.' }]);
  onTestFinished(() => endpoint.close());
  const credentials = {
    ANTHROPIC_BASE_URL: endpoint.url,
    ANTHROPIC_API_KEY: 'key',
    OPENAI_BASE_URL: `${endpoint.url}/v1`,
  };
  const bench = await createBench({ credentials });
  const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  await callModel(bench, {
    model_choice: { provider: 'anthropic', model: 'claude-opus-5-5' },
    agentFields: { effort: 'low' },
    schema,
  });
  await callModel(await createBench({ credentials }), {
    model_choice: { provider: 'openai', model: 'gpt-5.2' },
    agentFields: { effort: 'low' },
  });
  expect(endpoint.requests[0]?.body).toMatchObject({
    output_config: { effort: 'low', format: { type: 'json_schema' } },
  });
  expect(endpoint.requests[1]?.body).toMatchObject({ reasoning_effort: 'low' });
});

it('is told to the programs that have it', () => {
  const task: ProgramTask = {
    system: '',
    prompt: 'Go.',
    model: null,
    schema: null,
    maxTurns: 1,
    effort: 'max',
    access: { edit: false, commands: [], web: false },
    usd: null,
    session: { kind: 'start', id: 'x' },
    scratch: '/tmp/x',
  };
  expect(claude.invoke(task).args.join(' ')).toContain('--effort max');
  expect(codex.invoke(task).args).toContain('model_reasoning_effort="xhigh"');
});
