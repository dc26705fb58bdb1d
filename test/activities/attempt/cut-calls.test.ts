import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cutUsage, nothingSoFar } from '../../../src/activities/models/cut-usage.js';
import { connectionFailure } from '../../../src/activities/models/model-failures.js';
import { tokensOf } from '../../../src/activities/models/protocol/provider.js';
import type { Answer, ModelEndpoint, Script } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import type { Bench, ModelOptions } from '../helpers/harness.js';
import { callModel, createBench, credentialsAt, failureOf } from '../helpers/harness.js';

const PRICE = { input: 2, output: 10, cache_read: 0.2, cache_write_5m: 2.5, cache_write_1h: 4 };
const OPENAI: ModelOptions = { model_choice: { provider: 'openai', model: 'gpt-9', price: PRICE } };
const OLLAMA: ModelOptions = { model_choice: { provider: 'ollama', model: 'qwen3' } };
const CLAUDE: ModelOptions = {
  model_choice: { provider: 'anthropic', model: 'claude-sonnet-5-5', price: PRICE, max_tokens: 32_000 },
};
const TOLD = { input: 50_000 };

async function open(script: Script): Promise<{ bench: Bench; endpoint: ModelEndpoint }> {
  const endpoint = await startModelEndpoint(script);
  onTestFinished(() => endpoint.close());
  return { endpoint, bench: await benchAt(endpoint.url) };
}

const benchWith = async (script: Script): Promise<Bench> => (await open(script)).bench;
const benchAt = (url: string): Promise<Bench> => createBench({ credentials: credentialsAt(url) });

interface Spent {
  usd: number | null;
  tokens: number;
}
const spentIn = ({ details }: { details?: unknown[] | null | undefined }): Spent | undefined =>
  details?.[0] as Spent | undefined; // what `attempt` attaches

describe('an answer of Claude that breaks off', () => {
  it.each<[string, Answer]>([
    ['is cut', { breakAfter: 'Half a sentence', usage: TOLD }],
    ['fails in the middle', { failAfter: 'Half a sentence', kind: 'api_error', message: 'Internal', usage: TOLD }],
  ])('that %s counts what it told before, and what it had said', async (_how, answer) => {
    const failure = await failureOf(callModel(await benchWith([answer]), CLAUDE));
    expect(failure.nonRetryable).toBe(true);
    expect(spentIn(failure)?.tokens).toBe(50_005);
    expect(spentIn(failure)?.usd).toBeCloseTo(0.10005, 9);
  });

  it('that Temporal tries again counts each time, and the answer that comes then says what all have cost', async () => {
    const bench = await benchWith([
      { failAfter: 'Half', kind: 'overloaded_error', message: 'Overloaded', usage: TOLD },
      { failAfter: 'Half', kind: 'overloaded_error', message: 'Overloaded', usage: TOLD },
      { text: 'Done.' },
    ]);
    const refused = { type: 'provider-error', nonRetryable: false };
    expect(await failureOf(callModel(bench, CLAUDE))).toMatchObject(refused);
    expect(await failureOf(callModel(bench, CLAUDE))).toMatchObject(refused);
    const { spend } = await callModel(bench, CLAUDE);
    expect(spend.tokens).toBe(2 * 50_002 + 15);
    // What was answered once is told again by another worker: it costs the same.
    expect((await callModel(bench, CLAUDE)).spend).toEqual(spend);
  });

  it('that is tried again is not asked once more than was reserved for it', async () => {
    const bench = await benchWith([
      { failAfter: 'Half', kind: 'overloaded_error', message: 'Overloaded', usage: TOLD },
    ]);
    const call = { most: { tokens: 60_000 } };
    await failureOf(callModel(bench, { ...CLAUDE, call }));
    const failure = await failureOf(callModel(bench, { ...CLAUDE, call }));
    expect(failure.type).toBe('budget-short');
    expect(spentIn(failure)?.tokens).toBeGreaterThan(50_002 + 32_000);
  });
});

/** Streams that say 30,000 bytes in thinking and as many to a tool, and end there. */
const PIECE = 'é'.repeat(500);
const PIECES = Array.from({ length: 30 });
const event = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const delta = (said: object): string => event('content_block_delta', { index: 0, delta: said });
const chunk = (said: object): string => `data: ${JSON.stringify({ choices: [{ delta: said }] })}\n\n`;
const line = (message: object): string => `${JSON.stringify({ message })}\n`;
const CUT_CLAUDE = [
  event('message_start', { message: { content: [], usage: { input_tokens: 10, output_tokens: 1 } } }),
  event('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '' } }),
  ...PIECES.map(() => delta({ type: 'thinking_delta', thinking: PIECE })),
  ...PIECES.map(() => delta({ type: 'input_json_delta', partial_json: PIECE })),
];
const CUT_OPENAI = PIECES.flatMap((_, at) => [
  chunk(at % 2 === 0 ? { reasoning_content: PIECE } : { reasoning: PIECE }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: PIECE } }] }),
]);
const CUT_OLLAMA = PIECES.flatMap(() => [
  line({ content: '', thinking: PIECE }),
  line({ content: '', tool_calls: [{ function: { name: 'write', arguments: { text: PIECE } } }] }),
]);

describe.each([
  ['Claude', CLAUDE, CUT_CLAUDE],
  ['OpenAI', OPENAI, CUT_OPENAI],
  ['Ollama', OLLAMA, CUT_OLLAMA],
])('a call to %s', (_name, options, cut) => {
  it('that is cut counts what was thought, and what was said to tools', async () => {
    const failure = await failureOf(callModel(await benchWith([{ raw: cut.join('') }]), options));
    expect(spentIn(failure)?.tokens).toBeGreaterThan(20_000);
    expect(spentIn(failure)?.tokens).toBeLessThan(22_000);
  });

  const prompt = { kind: 'literal', value: 'word '.repeat(3_000) } as const;

  it('that is cut counts what was asked, rather too high, also where nothing was told', async () => {
    const failure = await failureOf(
      callModel(await benchWith([{ breakAfter: 'Half', usage: { input: 0 } }]), { ...options, prompt }),
    );
    expect(failure.type).toBe('provider-unreachable');
    expect(spentIn(failure)?.tokens).toBeGreaterThan(5_000);
  });

  it('that ends at its time limit counts, before its first word as well', async () => {
    const ended = async (timeout_ms: number): ReturnType<typeof failureOf> => {
      const { bench, endpoint } = await open([{ hang: true }]);
      const failure = await failureOf(callModel(bench, { ...options, prompt, timeout_ms }));
      expect(failure.type).toBe('timeout');
      // Nothing was asked yet: a busy machine takes longer.
      return endpoint.requests.length === 0 ? ended(timeout_ms * 4) : failure;
    };
    const failure = await ended(300);
    expect(spentIn(failure)?.tokens).toBeGreaterThan(5_000);
  });

  it('that is cancelled says what it has cost', async () => {
    const { bench, endpoint } = await open([
      { text: 'The first part. ', until: new Promise(() => undefined), rest: '', usage: { input: 6_000 } },
    ]);
    const running = callModel(bench, { ...options, prompt }).catch((error: unknown) => error);
    await endpoint.arrival(1);
    bench.temporal.cancel('CANCELLED');
    const error = await running;
    expect(error).toBeInstanceOf(CancelledFailure);
    expect(spentIn(error as CancelledFailure)?.tokens).toBeGreaterThan(5_000);
  });

  it('that is refused, or reaches nobody, costs nothing', async () => {
    expect(spentIn(await failureOf(callModel(await benchWith([{ status: 400 }]), options)))).toBeUndefined();
    expect(spentIn(await failureOf(callModel(await benchAt('http://127.0.0.1:1'), options)))).toBeUndefined();
  });
});

it('a call that broke off is never cheaper than what was told, and never free once it was taken', () => {
  const tokens = fc.nat(100_000);
  const usage = fc.record({
    input: tokens,
    output: tokens,
    cache_read: tokens,
    cache_write_5m: tokens,
    cache_write_1h: tokens,
  });
  const soFar = fc.record({
    isSent: fc.boolean(),
    isAccepted: fc.boolean(),
    told: fc.option(usage),
    said: fc.nat(10_000),
  });
  fc.assert(
    fc.property(soFar, fc.integer({ min: 1, max: 1_000_000 }), fc.boolean(), (call, bytes, isAbort) => {
      const error = isAbort
        ? new Error('time limit')
        : connectionFailure('http://x', new Error('connect ECONNREFUSED'));
      const counted = cutUsage(call, error, () => bytes);
      const isTaken = call.told !== null || call.isAccepted || (isAbort && call.isSent);
      expect(counted !== null).toBe(isTaken);
      if (counted === null) return;
      expect(tokensOf(counted)).toBeGreaterThanOrEqual(
        Math.max(1, call.told === null ? 0 : tokensOf(call.told), Math.ceil(call.said / 3)),
      );
    }),
  );
  expect(cutUsage(nothingSoFar(), ApplicationFailure.nonRetryable('refused'), () => 30)).toBeNull();
});
