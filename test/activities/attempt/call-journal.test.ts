import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readQuotaDay } from '../../../src/activities/attempt/quota.js';
import type { QuotaDay } from '../../../src/plan/budget/quota.js';
import { dayOf } from '../../../src/plan/budget/quota.js';
import type { ModelEndpoint, Script } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import type { Bench } from '../helpers/harness.js';
import { callModel, createBench, failureOf, literal } from '../helpers/harness.js';

async function benchWith(script: Script): Promise<{ bench: Bench; endpoint: ModelEndpoint }> {
  const endpoint = await startModelEndpoint(script);
  onTestFinished(() => endpoint.close());
  return {
    endpoint,
    bench: await createBench({ credentials: { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: endpoint.url } }),
  };
}

it('a call that had answered is not made again, and gives the same output and spend', async () => {
  const { bench, endpoint } = await benchWith([{ text: 'once' }]);
  const first = await callModel(bench);
  expect(await callModel(bench)).toEqual(first);
  expect(endpoint.requests).toHaveLength(1);
});

it('a journal hit pays no part of a conversation again, and goes on after it', async () => {
  const schema = { type: 'integer' };
  const { bench, endpoint } = await benchWith([{ text: 'no' }, { status: 500 }, { text: '4' }]);
  await expect(failureOf(callModel(bench, { schema }))).resolves.toMatchObject({ type: 'provider-error' });
  expect(await callModel(bench, { schema })).toMatchObject({ output: { value: 4 }, spend: { tokens: 30 } });
  expect(endpoint.requests).toHaveLength(3);
});

it.each([
  ['try', { try: 2 }],
  ['step', { path: 'items/1/step' }],
  ['run', { root: { run: 'test-run', first: 'another', plan: `sha256:${'0'.repeat(64)}` as const } }],
])('another %s asks anew', async (what, call) => {
  const { bench, endpoint } = await benchWith(() => ({ text: 'again' }));
  await callModel(bench);
  const plan = what === 'run' ? await planOf(bench) : null;
  await callModel(bench, { call: plan === null ? call : { root: { run: 'test-run', first: 'another', plan } } });
  expect(endpoint.requests).toHaveLength(2);
});

async function planOf(bench: Bench): Promise<`sha256:${string}`> {
  const files = await readdir(join(bench.folder, '.perdure', 'plans'), { recursive: true });
  return `sha256:${
    files
      .find((file) => file.length > 60)
      ?.split('/')
      .at(-1) ?? ''
  }`;
}

it('a hit for another request is a failure, never an answer', async () => {
  const { bench, endpoint } = await benchWith([{ text: 'once' }]);
  await callModel(bench);
  await expect(failureOf(callModel(bench, { prompt: literal('Look at something else.') }))).resolves.toMatchObject({
    type: 'journal-mismatch',
    nonRetryable: true,
  });
  expect(endpoint.requests).toHaveLength(1);
});

it('a damaged entry is a failure: to call again might pay again', async () => {
  const { bench, endpoint } = await benchWith([{ text: 'once' }, { text: 'twice' }]);
  await callModel(bench);
  await callModel(bench, { call: { path: 'another' } });
  const file = join(bench.folder, '.perdure', 'journal', 'first-run-id.ndjson');
  await writeFile(file, (await readFile(file, 'utf8')).replace('{', '['));
  const again = await createBench({
    folder: bench.folder,
    credentials: { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: endpoint.url },
  });
  await expect(failureOf(callModel(again))).resolves.toMatchObject({
    type: 'store-missing',
    message: expect.stringContaining('corrupt'),
  });
  expect(endpoint.requests).toHaveLength(2);
});

it('an answer that the disk had no room for is kept, and written by the next start: it is paid once', async () => {
  const { bench, endpoint } = await benchWith([{ text: 'kept' }]);
  const journal = join(bench.folder, '.perdure', 'journal', 'first-run-id.ndjson');
  await mkdir(dirname(journal), { recursive: true });
  const entry = { request: `sha256:${'0'.repeat(64)}`, response: 'x'.repeat(100_000), at: '' };
  await writeFile(journal, `${JSON.stringify({ key: 'other', entry })}\n`);
  await withRoomFor((await stat(journal)).size + 100, async () => {
    // Temporal tries again: nothing is told of the step yet.
    expect(await failureOf(callModel(bench))).toMatchObject({
      type: 'store-full',
      nonRetryable: false,
      message: expect.stringContaining('no space is left') as string,
    });
    expect(await failureOf(callModel(bench))).toMatchObject({ type: 'store-full', nonRetryable: false });
  });
  expect(await callModel(bench)).toMatchObject({ output: { value: 'kept' }, spend: { tokens: 15 } });
  // And it is in the journal now: another worker finds it.
  const again = await createBench({
    folder: bench.folder,
    credentials: { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: endpoint.url },
  });
  expect(await callModel(again)).toMatchObject({ output: { value: 'kept' } });
  expect(endpoint.requests).toHaveLength(1);
});

it('an answer that waits for room counts in the quota, once', async () => {
  const { bench } = await benchWith([{ text: 'kept' }]);
  const journal = join(bench.folder, '.perdure', 'journal', 'first-run-id.ndjson');
  await mkdir(dirname(journal), { recursive: true });
  const entry = { request: `sha256:${'0'.repeat(64)}`, response: 'x'.repeat(100_000), at: '' };
  await writeFile(journal, `${JSON.stringify({ key: 'other', entry })}\n`);
  const price = { input: 1000, output: 1000, cache_read: null, cache_write_5m: null, cache_write_1h: null };
  const options = {
    model_choice: { provider: 'anthropic', model: 'dear', max_tokens: 50, price } as const,
    call: { most: { quota: { user: 'ana', usd: 10, user_usd: null } } },
  };
  const day = async (): Promise<QuotaDay> => readQuotaDay(bench.store, dayOf(Date.now()));
  await withRoomFor((await stat(journal)).size + 100, async () => {
    expect(await failureOf(callModel(bench, options))).toMatchObject({ type: 'store-full' });
    expect(await day()).toEqual({ used: { ana: 15_000_000 }, held: {} });
  });
  expect(await callModel(bench, options)).toMatchObject({ spend: { usd: 0.015 } });
  expect(await day()).toEqual({ used: { ana: 15_000_000 }, held: {} });
});

/** While `act` runs no file of this process can get longer than this: what a full disk says. */
async function withRoomFor(bytes: number, act: () => Promise<void>): Promise<void> {
  const limit = (size: string): unknown => execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${size}:`]);
  const ignore = (): void => undefined;
  process.on('SIGXFSZ', ignore);
  limit(String(bytes));
  try {
    await act();
  } finally {
    limit('unlimited');
    process.off('SIGXFSZ', ignore);
  }
}
