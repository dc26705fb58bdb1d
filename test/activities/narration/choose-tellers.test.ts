import { expect, it, onTestFinished } from 'vitest';
import { chooseTellers } from '../../../src/activities/narration/choose-tellers.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';

const NOBODY = 'http://127.0.0.1:9';

it.each([
  ['asks haiku and sonnet of Claude', {}, 'claude-haiku-5-5', 'claude-sonnet-5-5'],
  ['asks the model that NARRATOR_MODEL names', { NARRATOR_MODEL: 'opus' }, 'claude-opus-5-5', 'claude-sonnet-5-5'],
])('%s', async (_title, env, narrator, teacher) => {
  const tellers = await chooseTellers({ options: {}, env: { ANTHROPIC_API_KEY: 'x', OLLAMA_HOST: NOBODY, ...env } });
  expect([tellers.narrator?.model, tellers.teacher?.model]).toEqual([narrator, teacher]);
});

it('asks nobody where no provider is there', async () => {
  expect(await chooseTellers({ options: {}, env: { OLLAMA_HOST: NOBODY } })).toEqual({ narrator: null, teacher: null });
});

it('asks no model of this machine that the run may be waiting for, unless it is named', async () => {
  const endpoint = await startModelEndpoint([], { ollamaModels: ['qwen3'] });
  onTestFinished(() => endpoint.close());
  const env = { OLLAMA_HOST: endpoint.url };
  expect(await chooseTellers({ options: {}, env })).toEqual({ narrator: null, teacher: null });
  expect(await chooseTellers({ options: {}, env: { ...env, NARRATOR_MODEL: 'ollama:qwen3' } })).toMatchObject({
    narrator: { provider: 'ollama', model: 'qwen3' },
    teacher: null,
  });
});
