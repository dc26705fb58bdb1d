import { execFileSync } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Answer } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { callModel, createBench, failureOf } from '../helpers/harness.js';
import { benchWith, KEY } from '../helpers/model-bench.js';

describe('a call to Claude', () => {
  it('sends the key as a header only, and no sampling parameters', async () => {
    const { bench, endpoint } = await benchWith([{ text: 'ok' }]);
    await callModel(bench);
    expect(Object.entries(endpoint.requests[0]?.headers ?? {}).filter(([, value]) => value.includes(KEY))).toHaveLength(
      1,
    );
    expect(Object.keys(endpoint.requests[0]?.body ?? {}).sort()).toEqual([
      'max_tokens',
      'messages',
      'model',
      'stream',
      'system',
    ]);
  });

  it('takes no key and no address from the environment of the worker', async () => {
    const { bench, endpoint } = await benchWith([{ text: 'ok' }]);
    Object.assign(process.env, {
      ANTHROPIC_API_KEY: 'sk-other',
      ANTHROPIC_AUTH_TOKEN: 'other',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
    });
    onTestFinished(() => {
      for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL'])
        Reflect.deleteProperty(process.env, name);
    });
    await callModel(bench);
    expect(JSON.stringify(endpoint.requests[0]?.headers)).toContain(KEY);
    expect(JSON.stringify(endpoint.requests[0]?.headers)).not.toContain('other');
  });

  it('without a key waits for one, and says what to set', async () => {
    const bench = await createBench({ info: { scheduledTimestampMs: 0 } });
    await expect(failureOf(callModel(bench))).resolves.toMatchObject({
      type: 'provider-missing',
      nonRetryable: false,
      nextRetryDelay: 15_000,
      message: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
  });

  it.each<[string, Answer, string, boolean]>([
    [
      'an overload inside the stream',
      { failAfter: 'half', kind: 'overloaded_error', message: 'Overloaded' },
      'provider-error',
      false,
    ],
    [
      'a failure inside the stream',
      { failAfter: 'half', kind: 'api_error', message: 'Internal' },
      'provider-error',
      true,
    ],
    ['a refusal', { text: 'I will not.', stop: 'refusal' }, 'answer-refused', true],
    ['a full context window', { text: 'half', stop: 'model_context_window_exceeded' }, 'answer-truncated', true],
  ])('gives for %s a typed failure', async (_what, answer, type, nonRetryable) => {
    const { bench } = await benchWith([answer]);
    await expect(failureOf(callModel(bench))).resolves.toMatchObject({ type, nonRetryable });
  });

  it.each<[string, Record<string, string>, number, boolean]>([
    ['for as long as the step may take fails for good', {}, 65_000, true],
    ['at the word of the provider waits for longer than its own time', { 'retry-after': '30' }, 65_000, false],
    ['for a day fails for good', { 'retry-after': '30' }, 86_400_000, true],
  ])('that has been rate limited %s', async (_what, headers, agoMs, nonRetryable) => {
    const endpoint = await startModelEndpoint([{ status: 429, headers }]);
    onTestFinished(() => endpoint.close());
    const bench = await createBench({
      credentials: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: endpoint.url },
      info: { scheduledTimestampMs: Date.now() - agoMs },
    });
    await expect(failureOf(callModel(bench, { timeout_ms: 60_000 }))).resolves.toMatchObject({
      type: 'rate-limited',
      nonRetryable,
    });
  });

  it('of a model without a known price costs nobody knows what', async () => {
    const { bench } = await benchWith([{ text: 'ok' }]);
    const output = await callModel(bench, { model_choice: { provider: 'anthropic', model: 'claude-unheard-of-9' } });
    expect(output.spend).toEqual({ usd: null, tokens: 15, steps: 1 });
  });

  it('leaves no key in outputs, logs and journal', async () => {
    const { bench } = await benchWith([{ text: 'ok' }]);
    const output = await callModel(bench);
    expect(JSON.stringify(output)).not.toContain(KEY);
    expect(() => execFileSync('grep', ['-r', KEY, bench.folder])).toThrow(); // grep finds nothing: exit 1
  });
});
