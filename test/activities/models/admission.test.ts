import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { expect, it, onTestFinished } from 'vitest';
import type { Admission } from '../../../src/activities/models/http/admission.js';
import { createAdmission } from '../../../src/activities/models/http/admission.js';
import type { ProviderFiles } from '../../../src/store/records/provider-files.js';
import { createProviderFiles } from '../../../src/store/records/provider-files.js';

async function openFiles(): Promise<ProviderFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'perdure-providers-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return createProviderFiles(join(folder, 'providers'));
}

const HOUR = 3_600_000;
const none = new AbortController().signal;
const wanted = (provider: string, concurrency: number | null = null) => ({ provider, concurrency, signal: none });
const refusal = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'admitted',
    (error: unknown) => error,
  );
/** Whether a promise is settled by now, once everything that is due has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol('open');
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(() => resolve(open)))])) !== open;
}

it('a pause that one worker was told of holds for all workers of the store, and for no other address', async () => {
  const files = await openFiles();
  const [one, other]: [Admission, Admission] = [createAdmission(files), createAdmission(files)];
  await (await one(wanted('anthropic a'))).refuse(Date.now() + HOUR, 'too many');
  for (const admit of [one, other]) {
    const failure = await refusal(admit(wanted('anthropic a')));
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({
      type: 'rate-limited',
      nonRetryable: false,
      message: expect.stringContaining('too many') as string,
    });
    expect((failure as ApplicationFailure).nextRetryDelay).toBeGreaterThan(HOUR - 60_000);
  }
  (await other(wanted('anthropic b'))).release();
});

it('when a pause is over one call goes first, of all workers, and the others follow once it was taken', async () => {
  const files = await openFiles();
  const [one, other] = [createAdmission(files), createAdmission(files)];
  await files.writePause('p', { until: Date.now() - 1, reason: 'too many' });
  const probe = await one(wanted('p'));
  const second = other(wanted('p'));
  const third = one(wanted('p'));
  expect([await isSettled(second), await isSettled(third)]).toEqual([false, false]);
  probe.accept();
  for (const pass of await Promise.all([second, third])) pass.release();
  expect(await files.readPause('p')).toBeNull();
});

it('a probe that is refused again pauses all others until the new time', async () => {
  const files = await openFiles();
  const admit = createAdmission(files);
  await files.writePause('p', { until: Date.now() - 1, reason: 'first' });
  const probe = await admit(wanted('p'));
  const second = refusal(admit(wanted('p')));
  await probe.refuse(Date.now() + HOUR, 'again');
  expect(await second).toMatchObject({ type: 'rate-limited', message: expect.stringContaining('again') as string });
});

it('of two pauses the longer one holds', async () => {
  const files = await openFiles();
  const later = Date.now() + HOUR;
  await files.writePause('p', { until: later, reason: 'long' });
  await files.writePause('p', { until: later - 1_000, reason: 'short' });
  expect(await files.readPause('p')).toEqual({ until: later, reason: 'long' });
});

it('no more calls are made at once than the config says, and the next is made when one has ended', async () => {
  const admit = createAdmission(await openFiles());
  const first = await admit(wanted('ollama', 2));
  first.accept();
  await admit(wanted('ollama', 2));
  const third = admit(wanted('ollama', 2));
  expect(await isSettled(third)).toBe(false);
  first.release();
  await third;
});

it('the first call to an address goes alone until it was taken', async () => {
  const admit = createAdmission(await openFiles());
  const first = await admit(wanted('p'));
  const second = admit(wanted('p'));
  expect(await isSettled(second)).toBe(false);
  first.accept();
  await second;
});

it('a call that waits for its turn is given up when it is cancelled', async () => {
  const admit = createAdmission(await openFiles());
  await admit(wanted('p', 1));
  const cancelled = new AbortController();
  const waiting = refusal(admit({ provider: 'p', concurrency: 1, signal: cancelled.signal }));
  cancelled.abort(new Error('cancelled'));
  expect(await waiting).toMatchObject({ message: 'cancelled' });
});
