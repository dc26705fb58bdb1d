import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelOptions } from '../helpers/harness.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { createAnthropicProvider } from '../../../src/activities/models/anthropic.js';
import { nothingSaid, toAnswer } from '../../../src/activities/models/openai-chat.js';
import { NO_USAGE } from '../../../src/activities/models/protocol/provider.js';
import type { Bench } from '../helpers/harness.js';
import { callModel, createBench, credentialsAt, failureOf, readLog } from '../helpers/harness.js';

async function saying(raw: string, media?: string): Promise<Bench> {
  const endpoint = await startModelEndpoint([{ raw, ...(media === undefined ? {} : { media }) }]);
  onTestFinished(() => endpoint.close());
  const { url } = endpoint;
  return createBench({ credentials: credentialsAt(url) });
}

const OPENAI: ModelOptions = { model_choice: { provider: 'openai', model: 'm' } };
const OLLAMA: ModelOptions = { model_choice: { provider: 'ollama', model: 'm' } };
const chunks = (...all: unknown[]): string =>
  [...all.map((one) => `data: ${JSON.stringify(one)}\n\n`), 'data: [DONE]\n\n'].join('');
const CLAUDE: ModelOptions = { model_choice: { provider: 'anthropic', model: 'claude-sonnet-5-5' } };
const events = (...all: { type: string }[]): string =>
  all.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join('');
/** An answer of Claude, with what its server counts at its start and at its end. */
const counting = (start: object, end: object, stop_reason: string | null = 'end_turn'): string =>
  events(
    { type: 'message_start', ...{ message: { content: [], stop_reason: null, ...start } } },
    { type: 'content_block_start', ...{ index: 0, content_block: { type: 'text', text: '' } } },
    { type: 'content_block_delta', ...{ index: 0, delta: { type: 'text_delta', text: 'yes' } } },
    { type: 'message_delta', ...{ delta: { stop_reason }, ...end } },
    { type: 'message_stop' },
  );
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
  const bench = await saying(events(error));
  expect(await failureOf(callModel(bench, CLAUDE))).toMatchObject({ type });
});

describe('an answer counts', () => {
  const used = (input: number, output?: number): object => ({
    usage: { input_tokens: input, ...(output === undefined ? {} : { output_tokens: output }) },
  });
  const read = (input_tokens: number, cache_read_input_tokens: number): object => ({
    usage: { input_tokens, cache_read_input_tokens, cache_creation_input_tokens: 0, output_tokens: 5 },
  });
  const written = (input_tokens: number, cache_creation_input_tokens: number): object => ({
    usage: { input_tokens, cache_creation_input_tokens, output_tokens: 1 },
  });
  it.each<[string, string, number]>([
    ['what its server says at its end', counting(used(1_000, 1), used(1_000, 5)), 1_005],
    ['what its server says at its start alone', counting(used(1_000, 7), {}), 1_007],
    ['the question where its start says nothing', counting({}, used(1_000, 5)), 1_005],
    ['totals that do not fall', counting(used(1_000, 1), used(0, 5)), 1_005],
    ['as one what its end tells of question and caches', counting(used(1_000, 1), read(100, 900)), 1_005],
    ['one kind of cache for the other', counting(written(100, 900), read(100, 900)), 1_005],
    ['caches that its start alone tells', counting(read(100, 900), used(100, 5)), 1_005],
    ['caches beside nothing of the question', counting(used(1_000, 1), read(0, 900)), 1_905],
    ['totals of both that do not fall', counting(read(100, 900), read(50, 0)), 1_005],
    ['bytes where its server says nothing', counting({}, {}), 9],
    ['bytes where its server says null', counting({ usage: null }, { usage: null }), 9],
  ])('with Claude %s', async (_what, raw, tokens) => {
    const { output, spend } = await callModel(await saying(raw), CLAUDE);
    expect([output, spend.tokens]).toEqual([{ value: 'yes' }, tokens]);
  });

  it('with a server like that of OpenAI totals that do not fall', async () => {
    const said = { choices: [{ delta: { content: 'yes' }, finish_reason: 'stop' }] };
    const counts = (prompt_tokens: number, completion_tokens: number, cached_tokens: number): object => ({
      usage: { prompt_tokens, completion_tokens, prompt_tokens_details: { cached_tokens } },
    });
    const bench = await saying(chunks({ ...said, ...counts(1_000, 4, 0) }, counts(1_000, 5, 900), counts(0, 0, 0)));
    expect((await callModel(bench, OPENAI)).spend.tokens).toBe(1_005);
  });
});

describe('half an answer is none', () => {
  const half = (finish_reason: string): string =>
    chunks({ choices: [{ delta: { content: 'The three are: first, the' }, finish_reason }] });
  const dead = { object: 'error', message: 'EngineDeadError', type: 'InternalServerError', code: 500 };
  it.each<[string, string, ModelOptions, string]>([
    ['a server short of resources', half('insufficient_system_resource'), OPENAI, 'provider-error'],
    ['a server that gave up', half('abort'), OPENAI, 'provider-error'],
    ['a server that failed', half('error'), OPENAI, 'provider-error'],
    ['a server that was cut off', half('network_error'), OPENAI, 'provider-error'],
    ['a server that failed for a reason', half('ERROR: worker died'), OPENAI, 'provider-error'],
    ['what its server filters, in letters of any case', half('RECITATION'), OPENAI, 'answer-refused'],
    ['what its server filters, and says why', half('content_filter: PROHIBITED_CONTENT'), OPENAI, 'answer-refused'],
    ['what is refused by a server that speaks like Claude', counting({}, {}, 'SAFETY'), CLAUDE, 'answer-refused'],
    ['a limit of the model', half('model_length'), OPENAI, 'answer-truncated'],
    [
      'an error in the form of some servers',
      chunks({ choices: [{ delta: { content: 'The' } }] }, dead),
      OPENAI,
      'provider-error',
    ],
    ['a server that speaks like Claude', counting({}, {}, 'abort'), CLAUDE, 'provider-error'],
    [
      'a server that speaks like Ollama',
      lines({ message: { content: 'The' } }, { done: true, done_reason: 'unload' }),
      OLLAMA,
      'provider-error',
    ],
  ])('of %s', async (_what, raw, options, type) => {
    expect(await failureOf(callModel(await saying(raw), options))).toMatchObject({ type });
  });
});

describe('a whole answer is one', () => {
  const whole = { choices: [{ message: { content: 'yes' }, finish_reason: 'stop' }], usage: { prompt_tokens: 7 } };
  it.each<[string, string]>([
    [
      'whose end has the name of another protocol',
      chunks({ choices: [{ delta: { content: 'yes' }, finish_reason: 'eos' }] }),
    ],
    ['with words behind its end', `${chunks({ choices: [{ delta: { content: 'yes' } }] })}data: {}\n\n`],
    ['that is no stream', JSON.stringify(whole)],
    ['that is no stream, in several lines', JSON.stringify(whole, null, 2)],
  ])('%s', async (_what, raw) => {
    expect((await callModel(await saying(raw), OPENAI)).output).toEqual({ value: 'yes' });
  });

  it.each(['COMPLETE', 'TOOL_CALL', 'done', 'finished', 'a word of tomorrow', 'toString'])(
    'that ends for `%s`',
    async (finish_reason) => {
      const raw = chunks({ choices: [{ delta: { content: 'yes' }, finish_reason }] });
      expect((await callModel(await saying(raw), OPENAI)).output).toEqual({ value: 'yes' });
    },
  );

  it('but for JSON that is none, which is shown', async () => {
    const failure = await failureOf(callModel(await saying('{"content": "yes"}'), OPENAI));
    expect(failure).toMatchObject({ nonRetryable: true, message: expect.stringContaining('{"content": "yes"}') });
  });

  it('but for an error in the place of a stream', async () => {
    const bench = await saying(JSON.stringify({ error: { message: 'no', code: 429 } }));
    expect(await failureOf(callModel(bench, OPENAI))).toMatchObject({ type: 'rate-limited' });
  });
});

describe('an answer of a server that speaks like Claude and does not stream', () => {
  const message = {
    type: 'message',
    content: [
      { type: 'text', text: 'yes' },
      { type: 'text', text: ' and no' },
    ],
    stop_reason: 'end_turn',
    usage: { input_tokens: 7, output_tokens: 3 },
  };
  const JSON_MEDIA = 'application/json; charset=utf-8';

  it('is one, and what it says it has used counts', async () => {
    const bench = await saying(JSON.stringify(message, null, 2), JSON_MEDIA);
    const { output, spend } = await callModel(bench, CLAUDE);
    expect([output, spend.tokens]).toEqual([{ value: 'yes and no' }, 10]);
    expect((await readLog(bench)).map(({ text }) => text).join('')).toContain('yes and no');
  });

  it('is read as the stream that it is, where its server calls that JSON', async () => {
    const { output } = await callModel(await saying(counting({}, {}), JSON_MEDIA), CLAUDE);
    expect(output).toEqual({ value: 'yes' });
  });

  it('has its calls of tools', async () => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'it' } };
    const endpoint = await startModelEndpoint([
      { raw: JSON.stringify({ ...message, content: [call], stop_reason: 'tool_use' }), media: JSON_MEDIA },
    ]);
    onTestFinished(() => endpoint.close());
    const tools = [{ name: 'look', description: '', input_schema: {} }];
    const request = { model: 'm', system: '', messages: [{ role: 'user' as const, text: 'x' }], schema: null, tools };
    const context = { signal: new AbortController().signal, credentials: credentialsAt(endpoint.url), baseUrl: null };
    const rehearsal = { path: '', text: null, recorded: null };
    const answer = await createAnthropicProvider().call(request, { ...context, onText: () => undefined, rehearsal });
    expect(answer).toMatchObject({ stop: 'tools', blocks: [{ kind: 'call', name: 'look', input: { at: 'it' } }] });
  });

  it.each<[string, string, object]>([
    ['half', JSON.stringify({ ...message, stop_reason: 'max_tokens' }), { type: 'answer-truncated' }],
    ['an error', '{"type":"error","error":{"type":"authentication_error","message":"no"}}', { type: 'key-refused' }],
    ['no message', '{"choices":[]}', { message: expect.stringContaining('nor an answer, but `{"choices":[]}`') }],
    ['no JSON', 'Hello', { message: expect.stringContaining('cannot be read') }],
    ['nothing', '', { message: expect.stringContaining('cannot be read') }],
  ])('fails where it is %s, and says so', async (_what, raw, failure) => {
    expect(await failureOf(callModel(await saying(raw, JSON_MEDIA), CLAUDE))).toMatchObject({
      nonRetryable: true,
      ...failure,
    });
  });
});

describe('a word for its end that nobody knows', () => {
  const ended = (finish_reason: string | null, content = 'yes'): string =>
    chunks({ choices: [{ delta: { content }, finish_reason }] });
  const claude = counting({}, {}, 'gone home');
  const ollama = lines({ message: { content: 'yes' } }, { done: true, done_reason: 'gone home' });

  it.each<[string, string, ModelOptions]>([
    ['OpenAI', ended('gone\nhome'), OPENAI],
    ['Claude', claude, CLAUDE],
    ['Ollama', ollama, OLLAMA],
  ])('is told in the note and the log of the step: %s', async (_what, raw, options) => {
    const bench = await saying(raw);
    expect((await callModel(bench, options)).note).toMatch(/tokens, ended for `gone home`$/);
    expect((await readLog(bench)).map(({ text }) => text).join('')).toContain('its provider ended it for `gone home`');
  });

  it.each(['stop', 'COMPLETE', 'end_turn', 'eos', '', null])('is none: %s', async (word) => {
    const bench = await saying(ended(word));
    expect((await callModel(bench, OPENAI)).note).toMatch(/tokens$/);
    expect((await readLog(bench)).map(({ text }) => text).join('')).not.toContain('ended');
  });

  it('is told where the answer is empty, or none that fits', async () => {
    const empty = { raw: ended('gone home', '') };
    const endpoint = await startModelEndpoint([empty, empty, empty]);
    onTestFinished(() => endpoint.close());
    const bench = await createBench({ credentials: credentialsAt(endpoint.url) });
    const { message } = await failureOf(callModel(bench, OPENAI));
    expect(message).toBe('The answer is empty; its provider ended it for `gone home`.');
  });

  it('is told where it is a refusal', async () => {
    const { message } = await failureOf(callModel(await saying(ended('SAFETY', '')), OPENAI));
    expect(message).toBe('`m` refuses to answer (`SAFETY`).');
  });
});

describe('calls that a provider could not read', () => {
  const [finish, usage] = ['function_call_filter: MALFORMED_FUNCTION_CALL', NO_USAGE];
  it('are told as such, for the model to make them again', () => {
    const answer = toAnswer({ ...nothingSaid(), finish }, true);
    expect(answer).toEqual({ text: '', stop: 'end', usage, blocks: [], unreadable: finish });
  });

  it('keep none of the others from being made', () => {
    const calls = [{ index: 0, id: 'a', name: 'look', arguments: '{}' }];
    expect(toAnswer({ ...nothingSaid(), finish, calls }, true)).toMatchObject({ stop: 'tools' });
  });

  it('are an empty answer where no tools are offered, which is asked for again', async () => {
    const endpoint = await startModelEndpoint([
      { raw: chunks({ choices: [{ delta: {}, finish_reason: 'MALFORMED_FUNCTION_CALL' }] }) },
      { text: 'yes' },
    ]);
    onTestFinished(() => endpoint.close());
    const bench = await createBench({ credentials: credentialsAt(endpoint.url) });
    expect((await callModel(bench, OPENAI)).output).toEqual({ value: 'yes' });
  });
});
