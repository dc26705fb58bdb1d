import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelOptions } from '../helpers/harness.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import type { Bench } from '../helpers/harness.js';
import { callModel, createBench, credentialsAt, failureOf } from '../helpers/harness.js';

async function saying(raw: string): Promise<Bench> {
  const endpoint = await startModelEndpoint([{ raw }]);
  onTestFinished(() => endpoint.close());
  const { url } = endpoint;
  return createBench({ credentials: credentialsAt(url) });
}

const OPENAI: ModelOptions = { model_choice: { provider: 'openai', model: 'm' } };
const OLLAMA: ModelOptions = { model_choice: { provider: 'ollama', model: 'm' } };
const chunks = (...all: unknown[]): string =>
  [...all.map((one) => `data: ${JSON.stringify(one)}\n\n`), 'data: [DONE]\n\n'].join('');
const lines = (...all: unknown[]): string => all.map((one) => `${JSON.stringify(one)}\n`).join('');

describe('what a server gives as null is not there', () => {
  const yes = { error: null, choices: [{ delta: { content: 'yes', refusal: null, tool_calls: null } }] };
  it.each<[string, unknown]>([
    ['error', { error: null, choices: [] }],
    ['choices', { choices: null }],
    ['a choice', { choices: [null] }],
    ['delta', { choices: [{ delta: null, finish_reason: null }] }],
    ['a call', { choices: [{ delta: { content: null, tool_calls: [null] } }] }],
    ['a chunk', null],
  ])('in a stream like that of OpenAI: %s', async (_what, chunk) => {
    const answer = await callModel(await saying(chunks(chunk, yes)), OPENAI);
    expect(answer.output).toEqual({ value: 'yes' });
  });

  it.each<[string, unknown]>([
    ['content', { message: { content: null } }],
    ['tool_calls', { message: { content: '', tool_calls: null, thinking: null } }],
    ['message', { message: null, error: null }],
    ['a line', null],
  ])('in a stream of Ollama: %s', async (_what, line) => {
    const raw = lines(line, { message: { content: 'yes' } }, { message: null, done: true, eval_count: 1 });
    expect((await callModel(await saying(raw), OLLAMA)).output).toEqual({ value: 'yes' });
  });
});

it.each<[number | string, string, boolean]>([
  [429, 'rate-limited', false],
  ['429', 'rate-limited', false],
  [503, 'provider-error', false],
  [400, 'request-refused', true],
  [401, 'key-refused', true],
  [200, 'provider-error', true],
  ['server_error', 'provider-error', true],
])('an error inside of a stream is what its code says: %s', async (code, type, nonRetryable) => {
  const bench = await saying(chunks({ error: { message: 'no', code } }));
  expect(await failureOf(callModel(bench, OPENAI))).toMatchObject({ type, nonRetryable });
});

it.each([
  ['authentication_error', 'key-refused'],
  ['invalid_request_error', 'request-refused'],
  ['api_error', 'provider-error'],
])('an error inside of a stream of Claude is what its kind says: %s', async (kind, type) => {
  const error = { type: 'error', error: { type: kind, message: 'no' } };
  const bench = await saying(`event: error\ndata: ${JSON.stringify(error)}\n\n`);
  const claude: ModelOptions = { model_choice: { provider: 'anthropic', model: 'claude-sonnet-5-5' } };
  expect(await failureOf(callModel(bench, claude))).toMatchObject({ type });
});
