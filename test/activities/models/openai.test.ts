import { describe, expect, it, onTestFinished } from 'vitest';
import { acceptedParams } from '../../../src/plan/agents/model-rules.js';
import type { Chunk } from '../../../src/activities/models/openai-chat.js';
import { addChunk, nothingSaid, toAnswer, toChat } from '../../../src/activities/models/openai-chat.js';
import { formatOf, openaiUrl } from '../../../src/activities/models/openai.js';
import type { Script } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { callModel, createBench, failureOf } from '../helpers/harness.js';

const KEY = 'sk-canary-openai-0123';
const MODEL = { provider: 'openai', model: 'gpt-4.1' } as const;

async function benchWith(script: Script, credentials: Record<string, string> = { OPENAI_API_KEY: KEY }) {
  const endpoint = await startModelEndpoint(script);
  onTestFinished(() => endpoint.close());
  return {
    endpoint,
    bench: await createBench({ credentials: { OPENAI_BASE_URL: `${endpoint.url}/v1`, ...credentials } }),
  };
}

/** The schema of an object that has these properties, and no others. */
const closed = (properties: Record<string, object>): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

it('OpenAI itself is told a schema as a format only where it is one of an object', () => {
  const url = 'https://api.openai.com/v1';
  expect(formatOf({ type: 'array', items: { type: 'string' } }, url)).toEqual({});
  expect(formatOf({ type: 'object' }, url)).toHaveProperty('response_format.json_schema.strict', false);
});

describe('a server that speaks the chat completions of OpenAI', () => {
  it('is asked with the key as a header only, streamed, with usage', async () => {
    const { bench, endpoint } = await benchWith([{ text: 'Fine.' }]);
    await callModel(bench, { model_choice: MODEL, agentFields: { params: { temperature: 0.2 } } });
    const [request] = endpoint.requests;
    expect(request?.headers['authorization']).toBe(`Bearer ${KEY}`);
    expect(request?.body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 16_384,
      temperature: 0.2,
    });
    expect(JSON.stringify(request?.body)).not.toContain(KEY);
  });

  it.each<[object, object]>([
    [{ max_tokens: 100 }, { max_tokens: 100 }],
    [{ max_completion_tokens: 100 }, { max_tokens: 100, max_completion_tokens: 100 }],
    [{ max_tokens: -1, n: 3 }, { max_tokens: 16_384 }],
  ])('is told of the settings %j as limits of its one answer %j', async (params, told) => {
    const { bench, endpoint } = await benchWith([{ text: 'Fine.' }]);
    await callModel(bench, { model_choice: MODEL, agentFields: { params: { ...params } } });
    const sent = Object.entries(endpoint.requests[0]?.body ?? {});
    expect(Object.fromEntries(sent.filter(([name]) => /^max_|^n$/.test(name)))).toEqual(told);
  });

  it('needs no key where it is one of your own, and gets none that is not for it', async () => {
    const { bench, endpoint } = await benchWith([{ text: 'Fine.' }], { ANTHROPIC_API_KEY: 'other' });
    await callModel(bench, { model_choice: MODEL });
    expect(endpoint.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('is reached by the key that the config names', async () => {
    const { bench, endpoint } = await benchWith([{ text: 'Fine.' }], {
      OPENAI_API_KEY: 'usual',
      TEAM_KEY: 'of the team',
    });
    await callModel(bench, { model_choice: { ...MODEL, base_url: `${endpoint.url}/v1`, key: 'TEAM_KEY' } });
    expect(endpoint.requests[0]?.headers['authorization']).toBe('Bearer of the team');
  });

  it('counts what it read from its cache apart', async () => {
    const { bench } = await benchWith([{ text: 'Fine.', usage: { input: 100, cache_read: 900, output: 10 } }]);
    const price = { input: 10, output: 100, cache_read: 1, cache_write_5m: null, cache_write_1h: null };
    const { spend } = await callModel(bench, { model_choice: { ...MODEL, price } });
    expect(spend).toEqual({ usd: expect.closeTo(0.0029), tokens: 1_010, steps: 1 });
  });

  it.each<[string, boolean, object]>([
    [
      'every object is closed',
      true,
      { type: 'object', required: ['a'], properties: { a: { type: 'string' } }, additionalProperties: false },
    ],
    [
      'a property may be missing',
      false,
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
    ],
    [
      'it is made of what strict mode takes',
      true,
      closed({
        one: { anyOf: [{ type: ['string', 'null'], format: 'date' }, closed({ n: { type: 'integer', minimum: 1 } })] },
        many: { type: 'array', minItems: 1, items: { type: 'string', enum: ['a', 'b'] } },
      }),
    ],
    ['an inner object is open', false, { type: 'array', items: { type: 'object' } }],
    ['it is a list', false, { type: 'array', items: { type: 'string' } }],
    ['it is a boolean', false, { type: 'boolean' }],
    ['it may be nothing', false, { ...closed({ a: { type: 'string' } }), type: ['object', 'null'] }],
    ['it does not say that it is an object', false, { properties: { a: { type: 'string' } } }],
    ['it has a choice at its root', false, { ...closed({ a: { type: 'string' } }), anyOf: [{ type: 'object' }] }],
    ['one of several is meant', false, closed({ a: { oneOf: [{ type: 'string' }, { type: 'number' }] } })],
    ['names are told by patterns', false, closed({ a: { ...closed({}), patternProperties: { '^x': {} } } })],
    [
      'a list has no entry twice',
      false,
      closed({ a: { type: 'array', uniqueItems: true, items: { type: 'string' } } }),
    ],
    ['a list is of anything', false, closed({ a: { type: 'array', items: true } })],
    ['an inner part may be anything', false, closed({ a: {} })],
    ['an inner object that may be nothing is open', false, closed({ a: { type: ['object', 'null'] } })],
  ])('is held to the schema strictly or not when %s', async (_when, strict, schema) => {
    const { bench, endpoint } = await benchWith(() => ({ text: 'x' }));
    await failureOf(callModel(bench, { model_choice: MODEL, schema: JSON.parse(JSON.stringify(schema)) as never }));
    expect(endpoint.requests[0]?.body['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema, strict },
    });
  });

  it.each<[string, object, object]>([
    [
      'too many calls',
      { status: 429, headers: { 'retry-after': '7' } },
      { type: 'rate-limited', nonRetryable: false, nextRetryDelay: 7_000 },
    ],
    [
      'an account without money, which answers the same',
      { status: 429, kind: 'insufficient_quota' },
      { type: 'key-refused', nonRetryable: true },
    ],
    [
      'a wrong key, which is not repeated',
      { status: 401, message: `Incorrect API key provided: ${KEY}` },
      { type: 'key-refused', message: expect.not.stringContaining(KEY) as string },
    ],
    ['an unknown model', { status: 404, message: 'no such model' }, { type: 'model-missing' }],
    [
      'a prompt that is too long',
      { status: 400, kind: 'context_length_exceeded', message: 'too big' },
      { type: 'request-refused', message: expect.stringContaining('too long') as string },
    ],
    [
      'a failure inside the stream',
      { failAfter: 'Half', kind: 'server_error', message: 'lost' },
      { type: 'provider-error', nonRetryable: true },
    ],
    ['a connection that breaks', { breakAfter: 'Half' }, { type: 'provider-unreachable' }],
    ['an answer that is cut', { text: 'Half', stop: 'max_tokens' }, { type: 'answer-truncated' }],
    ['a filter', { text: '', stop: 'refusal' }, { type: 'answer-refused' }],
    [
      'a stream that ends without an end',
      { raw: 'data: {"choices":[{"delta":{"content":"x"}}]}\n\n' },
      { type: 'provider-unreachable' },
    ],
  ])('that answers with %s is told as what it is', async (_what, answer, expected) => {
    const { bench } = await benchWith([answer as never]);
    expect(await failureOf(callModel(bench, { model_choice: MODEL }))).toMatchObject(expected);
  });

  it('waits for a key that is not there: it is never sent to OpenAI without one', async () => {
    const bench = await createBench({ credentials: {} });
    expect(await failureOf(callModel(bench, { model_choice: MODEL }))).toMatchObject({
      type: 'provider-missing',
      nonRetryable: false,
      message: expect.stringContaining('OPENAI_API_KEY') as string,
    });
  });
});

describe('tools in its words', () => {
  it('are put together from the parts in which calls come', () => {
    const said = nothingSaid();
    const call = (index: number, part: object): Chunk => ({
      choices: [{ delta: { tool_calls: [{ index, ...part }] } }],
    });
    addChunk(said, { choices: [{ delta: { content: 'Looking.' } }] });
    addChunk(said, call(0, { id: 'a', function: { name: 'read_file', arguments: '' } }));
    addChunk(said, call(0, { function: { arguments: '{"path":' } }));
    addChunk(said, call(1, { id: 'b', function: { name: 'shell', arguments: '{"argv' } }));
    addChunk(said, call(0, { function: { arguments: '"x"}' } }));
    addChunk(said, { choices: [{ delta: {}, finish_reason: 'tool_calls' }] });
    expect(toAnswer(said, true)).toMatchObject({
      stop: 'tools',
      blocks: [
        { kind: 'text', text: 'Looking.' },
        { kind: 'call', id: 'a', name: 'read_file', input: { path: 'x' } },
        { kind: 'call', id: 'b', name: 'shell', input: '{"argv' },
      ],
    });
  });

  it.each<[string, object[]]>([
    [
      'numbers all calls alike',
      [
        { index: 0, id: 'a', function: { name: 'one', arguments: '{"n":' } },
        { index: 0, function: { arguments: '1}' } },
        { index: 0, id: 'b', function: { name: 'two', arguments: '{"n":2}' } },
      ],
    ],
    [
      'numbers none',
      [
        { id: 'a', function: { name: 'one', arguments: '{"n":' } },
        { function: { arguments: '1}' } },
        { id: 'b', function: { name: 'two', arguments: '{"n":2}' } },
      ],
    ],
    [
      'says names and ids with each part',
      [
        { index: 0, id: 'a', function: { name: 'one', arguments: '{"n":' } },
        { index: 0, id: 'a', function: { name: 'one', arguments: '1}' } },
        { index: 1, id: 'b', function: { name: 'two', arguments: '{"n":2}' } },
      ],
    ],
    [
      'says names and ids with each part, and numbers none',
      [
        { id: 'a', function: { name: 'one', arguments: '' } },
        { id: 'a', function: { name: 'one', arguments: '{"n":' } },
        { id: 'a', function: { arguments: '1}' } },
        { id: 'a', function: { name: 'one', arguments: '' } },
        { id: 'b', function: { name: 'two', arguments: '{"n":2}' } },
      ],
    ],
    [
      'gives arguments that are no text, and numbers that are no places of a list',
      [
        { index: -3, id: 'a', function: { name: 'one', arguments: { n: 1 } } },
        { index: 4_000_000_000, id: 'b', function: { name: 'two', arguments: { n: 2 } } },
      ],
    ],
  ])('are the calls that were meant where a server %s', (_what, parts) => {
    const said = nothingSaid();
    for (const part of parts) addChunk(said, { choices: [{ delta: { tool_calls: [part] } }] });
    expect(toAnswer(said, true).blocks).toEqual([
      { kind: 'call', id: 'a', name: 'one', input: { n: 1 } },
      { kind: 'call', id: 'b', name: 'two', input: { n: 2 } },
    ]);
  });

  it('are two where a server that numbers none has one id for both', () => {
    const said = nothingSaid();
    for (const n of [1, 2]) {
      const part = { id: 'a', function: { name: 'one', arguments: `{"n":${n}}` } };
      addChunk(said, { choices: [{ delta: { tool_calls: [part] } }] });
    }
    expect(toAnswer(said, true).blocks).toMatchObject([{ input: { n: 1 } }, { input: { n: 2 } }]);
  });

  it('hears words that come as parts of a list, and none in what is no text', () => {
    const said = nothingSaid();
    const contents = [
      'One',
      [
        { type: 'thinking', thinking: [] },
        { type: 'text', text: ' two' },
      ],
      null,
      7,
      [null, {}],
    ];
    expect(contents.map((content) => addChunk(said, { choices: [{ delta: { content } }] }))).toEqual([
      'One',
      ' two',
      '',
      '',
      '',
    ]);
    expect(toAnswer(said, false).text).toBe('One two');
  });

  it('are told to it again with their results as messages of their own', () => {
    expect(
      toChat({
        role: 'assistant',
        blocks: [
          { kind: 'text', text: 'Looking.' },
          { kind: 'call', id: 'a', name: 'read_file', input: { path: 'x' } },
        ],
      }),
    ).toEqual([
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'read_file', arguments: '{"path":"x"}' } }],
      },
    ]);
    expect(
      toChat({
        role: 'user',
        blocks: [
          { kind: 'result', id: 'a', name: 'read_file', text: 'content', is_error: false },
          { kind: 'text', text: 'Go on.' },
        ],
      }),
    ).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'content' },
      { role: 'user', content: 'Go on.' },
    ]);
  });
});

it.each<[(string | null)[], string]>([
  [[null], 'https://api.openai.com/v1'],
  [['', 'http://a/v1/'], 'http://a/v1'],
  [['http://b', 'http://a'], 'http://b'],
])('of the addresses %j it is %s that is asked', (given, url) => {
  expect(openaiUrl(...given)).toBe(url);
});

it.each<['anthropic' | 'ollama' | 'openai', string, object, object]>([
  ['anthropic', 'claude-sonnet-5-5', { temperature: 0, top_k: 3, max_tokens: 9 }, { max_tokens: 9 }],
  ['anthropic', 'claude-opus-4-7', { temperature: 0 }, {}],
  ['anthropic', 'claude-opus-4-6', { temperature: 0 }, { temperature: 0 }],
  ['anthropic', 'claude-haiku-4-5-20251001', { temperature: 0 }, { temperature: 0 }],
  ['openai', 'gpt-5.2', { temperature: 0, seed: 1 }, { seed: 1 }],
  ['openai', 'o3-mini', { top_p: 0.5 }, {}],
  ['openai', 'gpt-4o', { temperature: 0 }, { temperature: 0 }],
  ['ollama', 'gpt-oss', { temperature: 0 }, { temperature: 0 }],
])('%s with `%s` takes of %j only %j', (provider, model, given, taken) => {
  expect(acceptedParams(provider, model, { ...given })).toEqual(taken);
});
