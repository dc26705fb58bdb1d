import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ActivityCancellationDetails, CancelledFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import type { Bench } from '../helpers/harness.js';
import { createBench, failureOf, literal, shell } from '../helpers/harness.js';
import { fileWithLines } from '../helpers/processes.js';

const quick = { call: { quick: true, path: 'items/0/step' } } as const;
const COUNT = 'echo x >> runs.txt';

async function quickBench(folder?: string): Promise<Bench> {
  return createBench({ info: { isLocal: true }, ...(folder === undefined ? {} : { folder }) });
}

async function runs({ folder }: Bench): Promise<number> {
  return (await readFile(join(folder, 'runs.txt'), 'utf8')).split('\n').length - 1;
}

it('a quick command that has ended is not run again, also by another worker, and names its step', async () => {
  const bench = await quickBench();
  const first = await shell(bench, `${COUNT}; echo out`, quick);
  expect(first).toMatchObject({ output: { value: 'out' }, note: 'exit 0', path: 'items/0/step' });
  expect(await shell(bench, `${COUNT}; echo out`, quick)).toEqual(first);
  expect(await shell(await quickBench(bench.folder), `${COUNT}; echo out`, quick)).toEqual(first);
  expect(await runs(bench)).toBe(1);
});

it.each([
  ['by its exit code', `${COUNT}; echo no >&2; exit 3`, {}, 'command-failed'],
  ['by its time limit', `${COUNT}; sleep 999`, { timeout_ms: 300 }, 'timeout'],
  ['by its schema', `${COUNT}; echo no`, { schema: { type: 'integer' } }, 'answer-invalid'],
])(
  'a quick command that failed %s is not run again, and the failure names its step',
  async (_how, script, fields, type) => {
    const bench = await quickBench();
    const first = await failureOf(shell(bench, script, { ...quick, ...fields }));
    expect(first).toMatchObject({ type, nonRetryable: true, details: [{ path: 'items/0/step' }] });
    const again = await failureOf(shell(bench, script, { ...quick, ...fields }));
    expect(again).toMatchObject({ type, message: first.message, nonRetryable: true, details: first.details });
    expect(await runs(bench)).toBe(1);
  },
);

it('another try of a quick command runs it, and another request under the same key is a failure', async () => {
  const bench = await quickBench();
  await shell(bench, COUNT, quick);
  await shell(bench, COUNT, { call: { ...quick.call, try: 2 } });
  expect(await runs(bench)).toBe(2);
  await expect(failureOf(shell(bench, COUNT, { ...quick, env: { MORE: literal('x') } }))).resolves.toMatchObject({
    type: 'journal-mismatch',
    details: [{ path: 'items/0/step' }],
  });
  expect(await runs(bench)).toBe(2);
});

it.each(['cancellation', 'shutdown'])('a %s is not journalled: the command runs again', async (what) => {
  const bench = await quickBench();
  const script = `${COUNT}; [ -e go ] || sleep 999`;
  const running = shell(bench, script, quick);
  await fileWithLines(join(bench.folder, 'runs.txt'), 1);
  if (what === 'shutdown') {
    bench.temporal.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
    await expect(failureOf(running)).resolves.toMatchObject({ type: 'worker-lost', nonRetryable: false });
  } else {
    bench.temporal.cancel('CANCELLED');
    await expect(running).rejects.toBeInstanceOf(CancelledFailure);
  }
  const again = await quickBench(bench.folder);
  const second = shell(again, script, quick);
  await fileWithLines(join(bench.folder, 'runs.txt'), 2);
  again.temporal.cancel('CANCELLED');
  await expect(second).rejects.toBeInstanceOf(CancelledFailure);
});
