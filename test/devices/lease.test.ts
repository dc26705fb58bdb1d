// @module-tag avrdude
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Lease } from '../../src/plan/devices/device-queue.js';
import { LEASES_MEMO, keeperIdOf } from '../../src/plan/devices/device-queue.js';
import { until } from '../faults/project.js';
import { FULL } from '../faults/seed.js';
import { record } from '../replay/record.js';
import { harnessOfFile } from '../workflows/helpers/harness.js';
import { closeBoards, boardFor, bytesOfPages, connectionsTo, hexOf } from './boards.js';
import type { Flow } from './flow.js';
import { endOf, startFlow } from './flow.js';

closeBoards();

const harness = await harnessOfFile();

/** Runs that want the board; ten with `npm run test:full`. */
const RUNS = FULL ? 10 : 4;

/** What the keeper of a host shows of its one board. */
async function lease(queue = 'test'): Promise<Lease | null> {
  const described = await harness.client.workflow
    .getHandle(keeperIdOf(queue))
    .describe()
    .catch(() => null);
  const [only] = (described?.memo?.[LEASES_MEMO] ?? []) as Lease[]; // as the keeper wrote it
  return only ?? null;
}

describe('runs that want one board', () => {
  it(`get it one after the other, in the order in which they asked (${RUNS} runs)`, async () => {
    let most = 0;
    const images = Array.from({ length: RUNS }, (_, number) => bytesOfPages(1, number));
    /** Which image the board got, one after the other. */
    const got: number[] = [];
    const board = await boardFor('', {
      onEvent: (event) => {
        most = Math.max(most, connectionsTo(board));
        if (event !== 'write') return;
        const image = images.findIndex((bytes) => Buffer.from(board.flash.slice(0, bytes.length)).equals(bytes));
        if (got.at(-1) !== image) got.push(image);
      },
    });
    const ended: string[] = [];
    const handles: Awaited<ReturnType<typeof startFlow>>[] = [];
    for (let number = 0; number < RUNS; number += 1) {
      const handle = await startFlow(harness, {
        devices: { uno: { port: `net:127.0.0.1:${board.port}` } },
        steps: [{ id: 'flash', flash: { device: 'uno', image: 'image.hex' } }],
        files: { 'image.hex': hexOf(images[number] ?? Buffer.alloc(0)) },
        id: `wants-${number}`,
      });
      handles.push(handle);
      handle.result().then(
        () => ended.push(handle.workflowId),
        () => undefined, // told below
      );
      await until(async () => {
        const shown = await lease();
        return (
          ended.includes(handle.workflowId) ||
          [shown?.active, ...(shown?.queue ?? [])].some((request) => request?.run === handle.workflowId)
        );
      });
    }
    for (const handle of handles) expect((await endOf(harness, handle)).outcome.status).toBe('success');
    expect(got).toEqual(images.map((_, number) => number));
    expect(most).toBe(1);
    expect(Buffer.from(board.flash.slice(0, 128)).equals(bytesOfPages(1, RUNS - 1))).toBe(true);
    await record('device-keeper', await harness.client.workflow.getHandle(keeperIdOf('test')).fetchHistory());
  });

  it('keep it from a flash to their last listening, and let others in then', async () => {
    const board = await boardFor('', { idle: true });
    const two = (name: string, seed: number): Promise<Awaited<ReturnType<typeof startFlow>>> =>
      startFlow(harness, {
        devices: { uno: { port: `net:127.0.0.1:${board.port}` } },
        steps: [
          { id: 'flash', flash: { device: 'uno', image: 'image.hex' } },
          { id: 'between', command: ['sh', '-c', 'until [ -e go ]; do sleep 0.05; done'] },
          { id: 'again', flash: { device: 'uno', image: 'image.hex' } },
        ],
        files: { 'image.hex': hexOf(bytesOfPages(1, seed)) },
        id: name,
      });
    const first = await two('keeps', 1);
    await until(async () => (await lease())?.keeps.includes('keeps'));
    const second = await two('waits', 2);
    await until(async () => (await lease())?.queue.some(({ run }) => run === 'waits'));
    expect(Buffer.from(board.flash.slice(0, 128)).equals(bytesOfPages(1, 1))).toBe(true);
    await harness.client.workflow.getHandle('keeps').cancel();
    await expect(first.result()).rejects.toThrow();
    await until(() => Buffer.from(board.flash.slice(0, 128)).equals(bytesOfPages(1, 2)));
    await harness.client.workflow.getHandle('waits').cancel();
    await expect(second.result()).rejects.toThrow();
    await until(async () => (await lease()) === null);
  });

  it('let go of it in time, also when they are long while a nested run works', async () => {
    const board = await boardFor('', { idle: true });
    const handle = await startFlow(harness, {
      devices: { uno: { port: `net:127.0.0.1:${board.port}` } },
      execution: 'dag',
      steps: [
        { id: 'flash', flash: { device: 'uno', image: 'image.hex' } },
        { id: 'nested', workflow: './nested.yml', needs: ['flash'] },
        {
          id: 'many',
          needs: ['flash'],
          foreach: Array.from({ length: 505 }, (_, index) => index),
          set: { n: '${item}' },
        },
        { id: 'again', flash: { device: 'uno', image: 'later.hex' }, needs: ['many'] },
      ],
      files: {
        'image.hex': hexOf(bytesOfPages(1, 1)),
        'later.hex': hexOf(bytesOfPages(1, 2)),
        'nested.yml': JSON.stringify({
          name: 'nested',
          steps: [{ command: ['sh', '-c', 'until [ -e go ]; do sleep 0.05; done'] }],
        }),
      },
      id: 'long',
    });
    await until(() => Buffer.from(board.flash.slice(0, 128)).equals(bytesOfPages(1, 2)));
    await until(async () => (await lease()) === null);
    await writeFile(join(handle.folder, 'go'), '');
    expect((await endOf(harness, handle)).outcome.status).toBe('success');
  });
});

describe('a board on a host of its own', () => {
  beforeAll(async () => {
    const stop = await harness.work('lab');
    return stop;
  });

  const labFlow = (port: number, id: string, more: Partial<Flow> = {}): ReturnType<typeof startFlow> =>
    startFlow(harness, {
      devices: { far: { port: `net:127.0.0.1:${port}`, task_queue: 'lab' } },
      steps: [{ id: 'flash', flash: { device: 'far', image: 'image.hex' } }],
      files: { 'image.hex': hexOf(bytesOfPages(1, 1)) },
      id,
      ...more,
    });

  it('is had by others also when the worker of who asked first is away', async () => {
    const board = await boardFor('', { idle: true });
    const stop = await harness.work('away');
    const first = await labFlow(board.port, 'asked-first', { taskQueue: 'away' });
    expect((await endOf(harness, first)).outcome.status).toBe('success');
    await stop();
    const second = await labFlow(board.port, 'asked-later');
    expect((await endOf(harness, second)).outcome.status).toBe('success');
  });

  // The keepers look twice, ten seconds apart.
  it.each(FULL ? ['and one of another host'] : [])(
    '%s that two runs keep from each other: the later one is refused, the other goes on',
    async () => {
      const [near, far] = await Promise.all([boardFor('', { idle: true }), boardFor('', { idle: true })]);
      const flow = (id: string, [mine, other]: [string, string]): ReturnType<typeof startFlow> =>
        labFlow(far.port, id, {
          devices: {
            far: { port: `net:127.0.0.1:${far.port}`, task_queue: 'lab' },
            near: { port: `net:127.0.0.1:${near.port}` },
          },
          steps: [
            { id: 'first', flash: { device: mine, image: 'image.hex' } },
            { id: 'between', command: ['sh', '-c', 'until [ -e go ]; do sleep 0.05; done'] },
            { id: 'other', flash: { device: other, image: 'image.hex' }, retry: { attempts: 1 } },
            { id: 'again', flash: { device: mine, image: 'image.hex' } },
          ],
        });
      const earlier = await flow('earlier', ['near', 'far']);
      const later = await flow('later', ['far', 'near']);
      await until(
        async () =>
          (await lease('test'))?.keeps.includes('earlier') === true &&
          (await lease('lab'))?.keeps.includes('later') === true,
      );
      await writeFile(join(earlier.folder, 'go'), '');
      await until(async () => (await lease('lab'))?.queue.some(({ run }) => run === 'earlier'));
      await writeFile(join(later.folder, 'go'), '');
      expect((await endOf(harness, later)).steps['other']).toMatchObject({
        status: 'error',
        error: '`near` is in use: `earlier` keeps `near` and waits for a device that this run keeps.',
      });
      expect((await endOf(harness, earlier)).outcome.status).toBe('success');
      await record('device-keeper-of-host', await harness.client.workflow.getHandle(keeperIdOf('test')).fetchHistory());
    },
  );
});
