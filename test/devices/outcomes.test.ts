// @module-tag avrdude
import { readFile, readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { StepResult } from '../../src/plan/result.js';
import { FULL } from '../faults/seed.js';
import { harnessOfFile } from '../workflows/helpers/harness.js';
import { RUN_TAG, parseRunTag } from '../../src/activities/processes/tagged-processes.js';
import { withPort } from '../../src/activities/devices/port/open-port.js';
import { until } from '../faults/project.js';
import type { BoardEvent } from '../../src/activities/devices/board/board.js';
import { closeBoards, boardFor, bytesOfPages, deviceOf, hexOf } from './boards.js';
import { endOf, startFlow } from './flow.js';

closeBoards();

const harness = await harnessOfFile();

const IMAGE = hexOf(bytesOfPages(4, 1));

interface Ended {
  step: StepResult;
  seconds: number;
  events: BoardEvent[];
  holds: (bytes: Uint8Array) => boolean;
  /** Programs that still run for this run. */
  left: string[];
}

/** Flashes a board that has this fault, in a run that asks nobody. */
async function flash(
  fault: string,
  more: Record<string, unknown> = {},
  device: Record<string, string> = {},
): Promise<Ended> {
  const events: BoardEvent[] = [];
  const board = await boardFor(fault, { onEvent: (event) => events.push(event) });
  const handle = await startFlow(harness, {
    devices: { uno: { port: `net:127.0.0.1:${board.port}`, ...device } },
    steps: [{ id: 'flash', flash: { device: 'uno', image: 'image.hex' }, ...more }],
    files: { 'image.hex': IMAGE, 'short.hex': IMAGE.slice(0, 200), 'big.hex': hexOf(bytesOfPages(256, 1)) },
    settings: { gates: 'fallback' },
  });
  const started = performance.now();
  const { steps } = await endOf(harness, handle);
  const seconds = (performance.now() - started) / 1000;
  return {
    step: steps['flash']!,
    seconds,
    events,
    holds: (bytes) => Buffer.from(board.flash.slice(0, bytes.length)).equals(bytes),
    left: await programsOf(harness.store.id, handle.workflowId),
  };
}

/** Programs of a run, by the tag in their environment. The store counts too: each test file has a `run-1`. */
async function programsOf(store: string, run: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      const tag = environment.split('\0').find((variable) => variable.startsWith(`${RUN_TAG}=`));
      const owner = tag === undefined ? null : parseRunTag(tag.slice(RUN_TAG.length + 1));
      return owner?.store === store && owner.run === run
        ? [await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')]
        : [];
    }),
  );
  return found.flat();
}

interface Row {
  fault: string;
  more?: Record<string, unknown>;
  device?: Record<string, string>;
  status: string;
  error: RegExp;
  tries: number;
  /** Times the port was opened. */
  opened: number;
}

const RETRY = { attempts: 3, backoff: '100ms' };

const ROWS: Record<string, Row> = {
  'a sound board': { fault: '', status: 'success', error: /^$/, tries: 1, opened: 1 },
  'a mute board, each try ended by its time limit': {
    fault: 'mute',
    more: { timeout: '2s', retry: RETRY },
    status: 'timeout',
    error: /did not end within its time limit of 2 s/,
    tries: 3,
    opened: 3,
  },
  'a board that talks nonsense': {
    fault: 'garbage',
    more: { retry: { attempts: 1 } },
    status: 'error',
    error: /`uno` does not answer\. avrdude says: .*not (?:in sync|responding)/,
    tries: 1,
    opened: 1,
  },
  'a read-back that differs': {
    fault: 'corrupt',
    more: { retry: RETRY },
    status: 'error',
    error: /`uno` holds something else than was written\. avrdude says: .*verification mismatch/,
    tries: 3,
    opened: 3,
  },
  'a board that hangs mid-write': {
    fault: 'hang:2',
    more: { timeout: '4s', retry: RETRY },
    status: 'timeout',
    error: /time limit of 4 s/,
    tries: 3,
    opened: 3,
  },
  'a board that loses its power mid-write': {
    fault: 'power-cut:2',
    more: { timeout: '3s', retry: RETRY },
    status: 'timeout',
    error: /time limit of 3 s/,
    tries: 3,
    opened: 3,
  },
  'another chip': {
    fault: 'wrong-part',
    status: 'error',
    error: /`uno` is another chip than expected\. avrdude says: .*[Ee]xpected signature for ATmega328P/,
    tries: 1,
    opened: 1,
  },
  'an image that is cut off': {
    fault: '',
    more: { flash: { device: 'uno', image: 'short.hex' } },
    status: 'error',
    error: /end-of-file record is missing|is no record|bytes of data and has/,
    tries: 1,
    opened: 0,
  },
  'an image that is too big': {
    fault: '',
    more: { flash: { device: 'uno', image: 'big.hex' } },
    status: 'error',
    error: /needs 32768 bytes; `uno` has room for 32256\. `uno` was not touched/,
    tries: 1,
    opened: 0,
  },
  'an image that is not there': {
    fault: '',
    more: { flash: { device: 'uno', image: 'nope.hex' } },
    status: 'error',
    error: /`nope.hex` cannot be used: there is no such file\. `uno` was not touched/,
    tries: 1,
    opened: 0,
  },
  'a port that is not there': {
    fault: '',
    device: { port: '/dev/ttyNONE7' },
    status: 'error',
    error: /The port `\/dev\/ttyNONE7` of `uno` is not there/,
    tries: 1,
    opened: 0,
  },
  'a port where nobody listens': {
    fault: '',
    device: { port: 'net:127.0.0.1:1' },
    status: 'error',
    error: /`uno` cannot be reached\. avrdude says/,
    tries: 1,
    opened: 0,
  },
  'a board that is mute once': {
    fault: 'mutex1',
    more: { timeout: '20s', retry: RETRY },
    status: 'success',
    error: /^$/,
    tries: 2,
    opened: 2,
  },
  'a board that loses its power once': {
    fault: 'power-cut:1x1',
    more: { timeout: '20s', retry: RETRY },
    status: 'success',
    error: /^$/,
    tries: 2,
    opened: 2,
  },
};

describe('a flash ends as the table says, with the real tool', () => {
  it.concurrent.each(Object.entries(ROWS))(
    '%s',
    async (_name, { fault, more, device, status, error, tries, opened }) => {
      const { step, events, left, holds } = await flash(fault, more, device);
      expect({ status: step.status, error: step.error ?? '', tries: step.attempts }).toEqual({
        status,
        error: expect.stringMatching(error) as string,
        tries,
      });
      const opens = events.filter((event) => event === 'open').length;
      // A try whose time is over before its tool has begun opens nothing.
      if (status === 'timeout') expect(opens).toBeLessThanOrEqual(opened);
      else expect(opens).toBe(opened);
      if (status === 'success') expect(holds(bytesOfPages(4, 1))).toBe(true);
      expect(left).toEqual([]);
    },
  );

  it.concurrent('a tool that is ended mid-write leaves no process, and the board can be flashed again', async () => {
    const events: BoardEvent[] = [];
    const board = await boardFor('hang:2', { onEvent: (event) => events.push(event) });
    const start = (): ReturnType<typeof startFlow> =>
      startFlow(harness, {
        devices: { uno: { port: `net:127.0.0.1:${board.port}` } },
        steps: [{ id: 'flash', flash: { device: 'uno', image: 'image.hex' } }],
        files: { 'image.hex': IMAGE },
      });
    const cut = await start();
    await until(() => events.filter((event) => event === 'write').length >= 2);
    await cut.cancel();
    await expect(cut.result()).rejects.toThrow();
    expect(await programsOf(harness.store.id, cut.workflowId)).toEqual([]);
    board.setFault(null);
    expect((await endOf(harness, await start())).outcome.status).toBe('success');
    expect(Buffer.from(board.flash.slice(0, 4 * 128)).equals(bytesOfPages(4, 1))).toBe(true);
  });

  it(
    'a port that another flasher of this machine has is not opened: the second is told so, whichever server it ' +
      'belongs to',
    async () => {
      const board = await boardFor();
      const device = deviceOf({ port: `net:127.0.0.1:${board.port}` });
      const setting = { store: harness.store, run: 'other', boardProgram: null, busyMs: 0 };
      const { signal } = new AbortController();
      await withPort(device, setting, signal, async () => {
        await expect(withPort(device, setting, signal, () => Promise.resolve())).rejects.toMatchObject({
          type: 'device-busy',
          message: expect.stringContaining('Another program on this machine') as string,
        });
      });
      expect(board.open()).toBe(0);
    },
  );

  // The times of the real limits: minutes.
  it.concurrent.each(
    FULL
      ? [
          ['mute', 'error'],
          ['hang:2', 'timeout'],
        ]
      : [],
  )('%s takes at most 4 × 60 s + 15 s with the defaults', { timeout: 300_000 }, async (fault, status) => {
    const { step, seconds, left } = await flash(fault);
    expect(step).toMatchObject({ status, attempts: 4 });
    expect(seconds).toBeLessThan(4 * 60 + 15);
    expect(left).toEqual([]);
  });
});
