import { CancelledFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/plan/values/json.js';
import { previewOf } from '../../../src/plan/values/value.js';
import type { Answer } from '../../fakes/model-endpoint.js';
import type { ModelOptions } from '../helpers/harness.js';
import { callModel, createBench, failureOf, literal, read, readLog } from '../helpers/harness.js';
import { OLLAMA, OPENAI, benchWith, KEY } from '../helpers/model-bench.js';

const BEGUN = { content: [], stop_reason: null, usage: { input_tokens: 1, output_tokens: 1 } };
const OBJECT = {
  type: 'object',
  required: ['count'],
  properties: { count: { type: 'integer', minimum: 1 } },
  additionalProperties: false,
};

describe.each<[string, ModelOptions]>([
  ['Claude', {}],
  ['Ollama', { model_choice: OLLAMA }],
  ['OpenAI', { model_choice: OPENAI }],
])('a call to %s', (name, options) => {
  it('gives the answer, says what it used, and streams the text to the log', async () => {
    const { bench, endpoint } = await benchWith([
      { text: 'Line one.\nLine two.', usage: { input: 1_000, output: 200 } },
    ]);
    const output = await callModel(bench, options);
    expect(output).toEqual({
      output: { value: 'Line one.\nLine two.' },
      note: '1,200 tokens',
      reused: false,
      spend: { usd: name === 'Ollama' ? 0 : 0.004, tokens: 1_200, steps: 1 },
    });
    expect((await readLog(bench)).map(({ text }) => text).join('')).toBe('Line one.\nLine two.');
    expect(endpoint.requests[0]).toMatchObject({ system: 'You review.', prompt: 'Look at it.' });
  });

  it('asks for the schema, and asks again with what is wrong', async () => {
    const { bench, endpoint } = await benchWith([
      { text: 'Sure!' },
      { text: '{"count": 0, "more": 1}' },
      { text: '```json\n{"count": 2}\n```' },
    ]);
    const output = await callModel(bench, { ...options, schema: OBJECT });
    expect(output).toMatchObject({ output: { value: { count: 2 } }, spend: { tokens: 45, steps: 1 } });
    expect(endpoint.requests.map(({ schema }) => (schema as { type: string }).type)).toEqual([
      'object',
      'object',
      'object',
    ]);
    expect(endpoint.requests[1]?.prompt).toContain('not JSON');
    expect(endpoint.requests[2]?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    expect(endpoint.requests[2]?.prompt).toMatch(
      /must NOT have additional properties: "more"\n- `\/count` must be >= 1/,
    );
    expect((await readLog(bench)).filter(({ stream }) => stream === 'note')).toHaveLength(2);
  });

  it('fails after the third answer that does not satisfy the schema, and says what all three have cost', async () => {
    const { bench, endpoint } = await benchWith(() => ({ text: '{}', usage: { input: 1_000, output: 200 } }));
    const failure = await failureOf(callModel(bench, { ...options, schema: OBJECT }));
    expect(failure).toMatchObject({
      type: 'answer-invalid',
      nonRetryable: true,
      message: expect.stringContaining("required property 'count'"),
    });
    expect(endpoint.requests).toHaveLength(3);
    expect(failure.details).toEqual([{ usd: name === 'Ollama' ? 0 : expect.closeTo(0.012), tokens: 3_600, steps: 1 }]);
  });

  it('that is cancelled closes the connection and is rethrown', async () => {
    const { bench, endpoint } = await benchWith([
      { text: 'The first part. ', until: new Promise(() => undefined), rest: '' },
    ]);
    const running = callModel(bench, options);
    running.catch(() => undefined); // looked at below
    const request = await endpoint.arrival(1);
    bench.temporal.cancel('CANCELLED');
    await request.abandoned;
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
  });

  it('that hangs ends at the time limit of the step', async () => {
    const { bench, endpoint } = await benchWith([{ hang: true }]);
    await expect(failureOf(callModel(bench, { ...options, timeout_ms: 200 }))).resolves.toMatchObject({
      type: 'timeout',
    });
    await endpoint.requests[0]?.abandoned;
  });

  it.each<[string, Answer, string]>([
    ['a connection that breaks off', { breakAfter: 'half an ans' }, 'provider-unreachable'],
    ['an answer that reached its limit', { text: 'half', stop: 'max_tokens' }, 'answer-truncated'],
    ['an empty answer', { text: '' }, 'answer-invalid'],
    [
      'an answer that ends before its message does',
      { raw: `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message: BEGUN })}\n\n` },
      'provider-unreachable',
    ],
    ['an answer in another protocol', { raw: '<html>hello</html>\n' }, 'provider-unreachable'],
    ['a request that is refused', { status: 400, message: 'messages: bad' }, 'request-refused'],
    ['a prompt that is too long', { status: 400, message: 'prompt is too long: 2000000 tokens' }, 'request-refused'],
    ['a key that is refused', { status: 401, message: `invalid x-api-key ${KEY}` }, 'key-refused'],
    ['an account without money', { status: 402 }, 'key-refused'],
    ['a model that is not there', { status: 404 }, 'model-missing'],
    ['a provider that fails', { status: 500 }, 'provider-error'],
  ])('gives for %s one typed, final failure', async (_what, answer, type) => {
    // An empty answer is asked for again.
    const { bench } = await benchWith(() => answer);
    const failure = await failureOf(callModel(bench, options));
    expect(failure).toMatchObject({ type, nonRetryable: true });
    expect(failure.message).not.toContain(KEY);
  });

  it.each<[string, Answer, string, number | undefined]>([
    ['a rate limit with seconds', { status: 429, headers: { 'retry-after': '7' } }, 'rate-limited', 7_000],
    ['a rate limit without a word', { status: 429 }, 'rate-limited', undefined],
    [
      'a rate limit with milliseconds',
      { status: 429, headers: { 'retry-after-ms': '1500', 'retry-after': '9' } },
      'rate-limited',
      1_500,
    ],
    ['an overload', { status: 529, headers: { 'retry-after': '2' } }, 'provider-error', 2_000],
    ['an unavailable service', { status: 503 }, 'provider-error', undefined],
  ])('leaves %s to Temporal to try again', async (_what, answer, type, nextRetryDelay) => {
    const { bench, endpoint } = await benchWith([answer]);
    await expect(failureOf(callModel(bench, options))).resolves.toMatchObject({
      type,
      nonRetryable: false,
      nextRetryDelay,
    });
    expect(endpoint.requests).toHaveLength(1);
  });

  it('stores a huge answer, and cuts it at the cap of the agent', async () => {
    const { bench } = await benchWith(() => ({ text: 'x'.repeat(3_000_000) }));
    const whole = await callModel(bench, { ...options, agentFields: { max_output_kb: 10_000 } });
    expect(await read(bench, whole.output)).toBe('x'.repeat(3_000_000));
    expect(JSON.stringify(whole).length).toBeLessThan(600);
    const cut = await callModel(bench, { ...options, call: { path: 'another' } });
    expect(await read(bench, cut.output)).toMatch(/^x+\n\[… \d+ bytes left out …\]\nx+$/);
  });

  it('that cannot be made because nothing answers there says where', async () => {
    const bench = await createBench({
      credentials: {
        ANTHROPIC_API_KEY: KEY,
        ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
        OLLAMA_HOST: 'http://127.0.0.1:9',
        OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
      },
    });
    await expect(failureOf(callModel(bench, options))).resolves.toMatchObject({
      type: 'provider-unreachable',
      message: expect.stringContaining('127.0.0.1:9'),
    });
  });
});

it('Ollama is asked for a context that the prompt fits in', async () => {
  const { bench, endpoint } = await benchWith(() => ({ text: 'ok' }));
  await callModel(bench, { model_choice: OLLAMA });
  await callModel(bench, { model_choice: OLLAMA, prompt: literal('word '.repeat(20_000)), call: { path: 'long' } });
  expect(endpoint.requests.map(({ body }) => (body['options'] as { num_ctx: number }).num_ctx)).toEqual([
    8_192, 65_536,
  ]);
});

it.each<[string, JsonObject | undefined, object]>([
  ['qwen3', undefined, { num_ctx: 8_192 }],
  ['qwen3', { num_predict: -1 }, { num_ctx: 8_192 }],
  ['qwen3', { num_predict: 20_000 }, { num_ctx: 32_768, num_predict: 20_000 }],
  ['gpt-oss:120b-cloud', undefined, { num_ctx: 32_768, num_predict: 16_384 }],
  ['gpt-oss:120b-cloud', { num_predict: -1 }, { num_ctx: 32_768, num_predict: 16_384 }],
])('Ollama is told the limit that holds for `%s` with %j', async (model, params, options) => {
  const { bench, endpoint } = await benchWith(() => ({ text: 'ok' }));
  const agentFields = params === undefined ? {} : { params };
  await callModel(bench, { model_choice: { provider: 'ollama', model }, agentFields });
  expect(endpoint.requests.map(({ body }) => body['options'])).toEqual([options]);
});

it('a key that has changed is what the next call is made with', async () => {
  const { endpoint } = await benchWith(() => ({ text: 'ok' }));
  const credentials: Record<string, string> = { ANTHROPIC_API_KEY: 'first', ANTHROPIC_BASE_URL: endpoint.url };
  const bench = await createBench({ credentials });
  for (const path of ['a', 'b']) await callModel(bench, { call: { path } });
  credentials['ANTHROPIC_API_KEY'] = 'second';
  await callModel(bench, { call: { path: 'c' } });
  expect(endpoint.requests.map(({ headers }) => headers['authorization'])).toEqual([
    'Bearer first',
    'Bearer first',
    'Bearer second',
  ]);
});

it('a model that Ollama does not have comes with the command that gets it', async () => {
  const { bench } = await benchWith([{ text: 'never' }], { ollamaModels: ['smol:latest'] });
  await expect(failureOf(callModel(bench, { model_choice: OLLAMA }))).resolves.toMatchObject({
    type: 'model-missing',
    message: expect.stringContaining('`ollama pull qwen3`'),
  });
});

describe('a rehearsal', () => {
  const rehearse = { provider: 'rehearsal', model: 'claude-sonnet-5-5' } as const;

  it('answers with what the definition says', async () => {
    const bench = await createBench();
    expect(await callModel(bench, { model_choice: rehearse, rehearsal: literal('Three findings.') })).toMatchObject({
      output: { value: 'Three findings.' },
      note: 'rehearsal',
      spend: { usd: 0, tokens: 0, steps: 1 },
    });
    expect(
      await callModel(bench, {
        model_choice: rehearse,
        rehearsal: literal({ count: 3 }),
        schema: OBJECT,
        call: { path: 'b' },
      }),
    ).toMatchObject({ output: { value: { count: 3 } } });
  });

  it('else says that it is one, differs by step and shows what would have been asked', async () => {
    const bench = await createBench();
    const [first, second] = await Promise.all(
      ['a', 'b'].map((path) => callModel(bench, { model_choice: rehearse, call: { path } })),
    );
    expect(previewOf(await read(bench, first!.output))).toMatch(/rehearsal.*`a`.*Look at it\./);
    expect(first?.output).not.toEqual(second?.output);
  });

  it('satisfies the schema of the step, or says what to write', async () => {
    const bench = await createBench();
    const schema = {
      type: 'object',
      required: ['title', 'level'],
      properties: { title: { type: 'string' }, level: { enum: ['low', 'high'] } },
    };
    expect(await callModel(bench, { model_choice: rehearse, schema })).toMatchObject({
      output: { value: { title: expect.stringContaining('rehearsal of step: Look at it.'), level: 'low' } },
    });
    const odd = { type: 'string', pattern: '^[A-Z]{3}-\\d+$' };
    await expect(
      failureOf(callModel(bench, { model_choice: rehearse, schema: odd, call: { path: 'odd' } })),
    ).resolves.toMatchObject({ type: 'answer-invalid', message: expect.stringContaining('`rehearsal:`') });
  });
});
