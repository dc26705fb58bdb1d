import { readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createAccessStore } from '../../../src/activities/store-access/answer-question.js';
import type { DeviceCall } from '../../../src/activities/contract.js';
import { endWithin } from '../../../src/activities/devices/end-within.js';
import { inWorkspace } from '../../../src/activities/devices/load-device.js';
import { createHomeStore } from '../../../src/activities/far-store/home-store.js';
import { createTranslator } from '../../../src/cli/observe/history/events.js';
import type { StoreRequest } from '../../../src/plan/calls/store-questions.js';
import { openStore } from '../../../src/store/local-store.js';
import type { Store } from '../../../src/store/store.js';
import { compileIn, createProject } from '../../compiler/helpers/temporary-project.js';
import { closeBoards, bytesOfPages, hexOf } from '../../devices/boards.js';
import { createBench, temporaryFolder } from '../helpers/harness.js';

closeBoards();

interface Hosts {
  home: Store;
  local: Store;
  /** Closes a log with one line, as a worker on a device's host does. */
  closeLog: () => Promise<void>;
  logOf: (store: Store) => Promise<string[]>;
}

/** Two hosts with a store each; `answer` may stand in for the one that has the run's. */
async function createHosts(answer?: (request: StoreRequest) => Promise<unknown>): Promise<Hosts> {
  const folder = await temporaryFolder();
  const [home, local] = await Promise.all(['home', 'local'].map((name) => openStore(join(folder, name))));
  if (home === undefined || local === undefined) throw new Error('no store');
  const access = answer ?? createAccessStore({ store: home, credentials: () => ({}) });
  const execute = (_: string, { args: [request] }: { args: [StoreRequest] }): Promise<unknown> => access(request);
  const withAbortSignal = <R>(_: AbortSignal, act: () => Promise<R>): Promise<R> => act();
  // all that is used of it; the question travels as it is
  const client = { workflow: { execute }, withAbortSignal } as unknown as Client;
  const host = new MockActivityEnvironment({}, { client });
  const closeLog = (): Promise<void> =>
    host.run(async () => {
      const log = createHomeStore(local, 'home').openLog('run-1', 'flash');
      log.write('note', 'verified');
      await log.close();
    });
  return {
    home,
    local,
    closeLog,
    logOf: async (store) => (await store.readLog('run-1', 'flash', 0)).lines.map(({ text }) => text),
  };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a log of a step on a device’s host', () => {
  it('is kept there, and is sent home', async () => {
    const { home, local, closeLog, logOf } = await createHosts();
    await closeLog();
    expect([await logOf(home), await logOf(local)]).toEqual([['verified'], ['verified']]);
  });

  it('is there once, however often what sends it is asked again', async () => {
    const { home, logOf } = await createHosts();
    const access = createAccessStore({ store: home, credentials: () => ({}) });
    const lines = ['#', '#', 'verified'].map((text) => ({
      at: '2026-01-01T00:00:00.000Z',
      stream: 'stdout' as const,
      text,
    }));
    const ask = async (request: { lines: typeof lines; at: number | null }): Promise<number> =>
      ((await access({ op: 'addLog', run: 'run-1', path: 'flash', ...request })) as { next: number }).next;
    const start = await ask({ lines: [], at: null });
    // Its answer is lost, and so is the worker that went on.
    const middle = await ask({ lines: lines.slice(0, 1), at: start });
    expect(await ask({ lines: lines.slice(0, 2), at: start })).toBeGreaterThan(middle);
    const end = await ask({ lines: lines.slice(0, 2), at: start });
    await ask({ lines, at: end }); // The same words again are other words.
    expect(await logOf(home)).toEqual(['#', '#', '#', '#', 'verified']);
  });

  it('that cannot be sent is kept there and says so, and the step does not fail for it', async () => {
    const { local, closeLog, logOf } = await createHosts(() => Promise.reject(new Error('nobody is home')));
    await closeLog();
    expect(await logOf(local)).toEqual(['verified', "this log did not reach the run's own store: nobody is home"]);
  });

  it('is not sent for longer than 20 s', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let tellAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      tellAsked = resolve;
    });
    const { local, closeLog, logOf } = await createHosts(() => {
      tellAsked();
      return new Promise(() => undefined);
    });
    const closed = closeLog();
    await asked;
    await vi.advanceTimersByTimeAsync(20_000);
    await closed;
    expect((await logOf(local))[1]).toContain('it took longer than 20 s');
  });
});

describe('the folder of tools on a device’s host', () => {
  it('is an empty one of their own, and is gone after', async () => {
    const used = await inWorkspace({ isElsewhere: async () => true }, { workspace: '/nowhere' }, async (folder) => {
      await writeFile(join(folder, 'left'), '');
      return { folder, mode: (await stat(folder)).mode & 0o777 };
    });
    expect(used).toMatchObject({
      folder: expect.stringContaining(join(tmpdir(), 'perdure-tools-')) as string,
      mode: 0o700,
    });
    await expect(readFile(join(used.folder, 'left'))).rejects.toThrow('ENOENT');
  });

  it('is the run’s own where the run is', async () => {
    expect(
      await inWorkspace({ isElsewhere: async () => false }, { workspace: '/there' }, async (folder) => folder),
    ).toBe('/there');
  });
});

it('the end of a text that fits is its longest, of whole characters', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.oneof(fc.constantFrom('a', '"', '\n', '\u0001', 'ü', '😀')), maxLength: 40 }),
      fc.integer({ min: 2, max: 60 }),
      (text, bytes) => {
        const size = (end: string): number => Buffer.byteLength(JSON.stringify(end));
        const ends = [...text].map((_, index, all) => all.slice(index).join('')).concat('');
        expect(endWithin(text, bytes)).toBe(ends.find((end) => size(end) <= bytes));
      },
    ),
  );
});

/** A call of the one step of a flow with a device, whose Plan is in the store. */
async function callOf(store: Store, step: Record<string, unknown>): Promise<DeviceCall> {
  const root = createProject({
    'perdure.yml': JSON.stringify({ devices: { uno: { kind: 'avr-arduino', port: 'net:127.0.0.1:1' } } }),
    'flow.yml': JSON.stringify({ name: 'flow', steps: [{ id: 'step', ...step }] }),
    'image.hex': hexOf(bytesOfPages(2, 1)),
  });
  const { plan, texts, problems } = compileIn(root, 'flow.yml');
  if (plan === null) throw new Error(problems.map(({ message }) => message).join());
  await store.putPlan(plan);
  for (const text of texts.values()) await store.putAlways(text);
  return {
    root: { run: 'run-1', first: 'x', plan: plan.hash },
    nested: null,
    step: 0,
    path: 'step',
    try: 1,
    environment: {},
    workspace: root,
    rehearsal: false,
  };
}

describe('the image of a flash step', () => {
  it('that is read for another host is no gate to viewers; one that a person is asked for is', async () => {
    const { store, activities } = await createBench();
    const call = await callOf(store, { flash: { device: 'uno', image: 'image.hex' } });
    const only = await activities.prepareFlash({ ...call, only: 'image' });
    const gate = await activities.prepareFlash({ ...call, since: '2026-01-01T00:00:00.000Z' });
    expect(Object.keys(only)).toEqual(['image', 'sha256']);
    expect(gate).toMatchObject({ ...only, kind: 'ready', path: 'step' });
    const seen = [only, gate].map((result) =>
      createTranslator()({
        markerRecordedEventAttributes: {
          markerName: 'core_local_activity',
          details: { result: { payloads: [defaultPayloadConverter.toPayload(result)] } },
        },
      }),
    );
    expect(seen).toMatchObject([[], [{ kind: 'gate-opened', gate: { path: 'step' } }]]);
  });
});
