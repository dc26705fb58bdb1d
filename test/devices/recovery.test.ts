// @module-tag avrdude
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Board, BoardEvent } from '../../src/activities/devices/board/board.js';
import { parseFault } from '../../src/activities/devices/board/chip/faults.js';
import { openGates } from '../../src/cli/observe/view/view.js';
import { inline } from '../../src/plan/values/value.js';
import { continueAsNew, createPeople } from '../workflows/helpers/gate-setting.js';
import { harnessOfFile } from '../workflows/helpers/harness.js';
import { viewOf } from '../workflows/helpers/viewing.js';
import { closeBoards, boardFor, bytesOfPages, hexOf } from './boards.js';
import type { Flow } from './flow.js';
import { endOf, startFlow } from './flow.js';

closeBoards();

const harness = await harnessOfFile();
const people = createPeople(harness);

const OLD = bytesOfPages(3, 1);
const NEW = bytesOfPages(3, 2);
const FILES = { 'old.hex': hexOf(OLD), 'new.hex': hexOf(NEW) };

function holds(board: Board, bytes: Uint8Array): boolean {
  return Buffer.from(board.flash.slice(0, bytes.length)).equals(bytes);
}

/** A board and a run that flashes the old image, then the new one while the board has a fault. */
async function failed(
  fault: string,
  { flash = {}, ...more }: Partial<Flow> & { flash?: Record<string, unknown> } = {},
): Promise<{ board: Board; events: BoardEvent[]; handle: Awaited<ReturnType<typeof startFlow>> }> {
  const events: BoardEvent[] = [];
  let isSound = true;
  const board = await boardFor('', {
    onEvent: (event) => {
      events.push(event);
      if (!isSound || event !== 'close' || !holds(board, OLD)) return;
      isSound = false;
      board.setFault(parseFault(fault));
    },
  });
  const handle = await startFlow(harness, {
    devices: { uno: { port: `net:127.0.0.1:${board.port}` } },
    steps: [
      { id: 'first', flash: { device: 'uno', image: 'old.hex' } },
      { id: 'second', flash: { device: 'uno', image: 'new.hex', ...flash }, retry: { attempts: 1 } },
      { id: 'after', command: ['echo', 'went on'] },
    ],
    files: FILES,
    ...more,
  });
  return { board, events, handle };
}

const opened = (events: BoardEvent[]): number => events.filter((event) => event === 'open').length;

describe('a flash that failed for good opens a gate', () => {
  it('that says what happened and what to do by hand; a retry on a mended board succeeds', async () => {
    const { board, handle } = await failed('corrupt');
    const gate = await people.gate(handle.workflowId);
    expect(gate).toMatchObject({ path: 'second', kind: 'recovery', options: ['retry', 'restore', 'skip', 'abort'] });
    expect(gate.message).toMatch(
      /^`uno` could not be flashed: `uno` holds something else than was written\. avrdude says: /,
    );
    expect(gate.message).toContain('\nBy hand: Press RESET on the board');
    board.setFault(null);
    await people.say(handle.workflowId, 'ana', { value: inline('retry') });
    const { steps } = await endOf(harness, handle);
    expect(steps['second']).toMatchObject({ status: 'success', attempts: 2 });
    expect(holds(board, NEW)).toBe(true);
  });

  it('where the last good image is restored', async () => {
    const { board, handle } = await failed('corruptx1');
    await people.say(handle.workflowId, 'ana', { value: inline('restore') });
    const { outcome, steps } = await endOf(harness, handle);
    expect(outcome.status).toBe('error');
    expect(steps['second']).toMatchObject({
      status: 'error',
      error: expect.stringContaining('The last good image was restored (ana).') as string,
    });
    expect(holds(board, OLD)).toBe(true);
  });

  it('that says of the next one, where the image cannot be restored either, that this failed too', async () => {
    const { handle } = await failed('corrupt');
    await people.say(handle.workflowId, 'ana', { value: inline('restore') });
    const asked = async (): Promise<string> => (await people.gate(handle.workflowId)).message;
    await expect.poll(asked, { timeout: 60_000 }).toContain(' Restoring the last good image failed: ');
    expect(await asked()).toMatch(/^`uno` could not be flashed: `uno` holds something else than was written\./);
    await people.say(handle.workflowId, 'ana', { value: inline('abort') });
    expect((await endOf(harness, handle)).steps['second']?.error).not.toContain('Restoring');
  });

  it('that does not offer to restore where no image is known to be good, and takes no such answer', async () => {
    const board = await boardFor('corrupt');
    const handle = await startFlow(harness, {
      devices: { fresh: { port: `net:127.0.0.1:${board.port}` } },
      files: FILES,
      steps: [
        { id: 'only', flash: { device: 'fresh', image: 'new.hex' }, retry: { attempts: 1 } },
        { id: 'after', command: ['echo', 'went on'] },
      ],
    });
    const gate = await people.gate(handle.workflowId);
    expect(gate).toMatchObject({ kind: 'recovery', options: ['retry', 'skip', 'abort'] });
    await expect(people.say(handle.workflowId, 'ana', { value: inline('restore') })).rejects.toThrow();
    const view = await viewOf(harness, handle.workflowId);
    expect(openGates(view)).toMatchObject([{ address: `${handle.workflowId}/only`, gate: { hash: gate.hash } }]);
    await people.say(handle.workflowId, 'ana', { value: inline('skip') });
    expect((await endOf(harness, handle)).steps).toMatchObject({
      only: { status: 'skipped', attempts: 1 },
      after: { output: { value: 'went on' } },
    });
  });

  it('where the step is skipped, or the run aborted', async () => {
    const [skipped, aborted] = [await failed('corrupt'), await failed('corrupt')];
    await people.say(skipped.handle.workflowId, 'ana', { value: inline('skip') });
    await people.say(aborted.handle.workflowId, 'ana', { value: inline('abort'), comment: 'no time' });
    expect((await endOf(harness, skipped.handle)).steps).toMatchObject({
      second: { status: 'skipped' },
      after: { output: { value: 'went on' } },
    });
    expect((await endOf(harness, aborted.handle)).steps).toMatchObject({
      second: { status: 'error', error: expect.stringMatching(/holds something else/) as string },
      after: { status: 'skipped' },
    });
  });

  it('and in a run that asks nobody is restored where `fallback` says so', async () => {
    const { board, handle } = await failed('corruptx1', {
      settings: { gates: 'fallback' },
      flash: { fallback: 'restore' },
    });
    const { steps } = await endOf(harness, handle);
    expect(steps['second']?.error).toContain('The last good image was restored');
    expect(holds(board, OLD)).toBe(true);
  });

  it('that stays as it is while its run continues as new: the device is not touched meanwhile', async () => {
    const { board, events, handle } = await failed('corrupt');
    const gate = await people.gate(handle.workflowId);
    const before = opened(events);
    await continueAsNew(harness, handle.workflowId);
    expect(await people.open(handle.workflowId)).toEqual([gate]);
    expect(opened(events)).toBe(before);
    board.setFault(null);
    await people.say(handle.workflowId, 'ana', { value: inline('retry') });
    const { steps } = await endOf(harness, handle);
    expect(steps['second']).toMatchObject({ status: 'success', attempts: 2 });
    expect(opened(events)).toBe(before + 1);
  });
});

describe('a flash that waits for a person to say that the device is ready', () => {
  it('refuses an image that was swapped after it was approved, and does not touch the device', async () => {
    const { events, handle } = await failed('', { flash: { ready: 'Is it plugged in?' } });
    const { message, content } = await people.gate(handle.workflowId);
    expect(message).toBe('Is it plugged in?');
    expect(await harness.json(content)).toMatchObject({ device: 'uno', target: null, bytes: 384 });
    const before = opened(events);
    await writeFile(join(handle.folder, 'new.hex'), FILES['old.hex']);
    await people.say(handle.workflowId, 'ana');
    const { steps } = await endOf(harness, handle);
    expect(steps['second']).toMatchObject({
      status: 'error',
      attempts: 1,
      error: expect.stringMatching(
        /The image was changed after it was approved: sha256 \S+ was approved, and it is \S+ now\. `uno` was not/,
      ) as string,
    });
    expect(opened(events)).toBe(before);
  });

  it('asks once, also when its run continues as new', async () => {
    const { board, handle } = await failed('', { flash: { ready: 'Is it plugged in?' } });
    const gate = await people.gate(handle.workflowId);
    await continueAsNew(harness, handle.workflowId);
    expect(await people.open(handle.workflowId)).toEqual([gate]);
    await people.say(handle.workflowId, 'ana');
    const { outcome } = await endOf(harness, handle);
    expect(outcome.status).toBe('success');
    expect(holds(board, NEW)).toBe(true);
  });
});
