// @seconds 50
// @module-tag avrdude
import { describe, expect, it } from 'vitest';
import { inline } from '../../src/plan/values/value.js';
import { FULL, random } from '../faults/seed.js';
import { createPeople } from '../workflows/helpers/gate-setting.js';
import { harnessOfFile } from '../workflows/helpers/harness.js';
import { parseFault } from '../../src/activities/devices/board/chip/faults.js';
import { closeBoards, boardFor, bytesOfPages, hexOf } from './boards.js';
import { endOf, startFlow } from './flow.js';

closeBoards();

const BLOCKS = 12;
const OLD = bytesOfPages(BLOCKS, 1);
const NEW = bytesOfPages(BLOCKS, 2);
/** Every block with `npm run test:full`; else the one that the commit draws. */
const SWEPT = FULL ? Array.from({ length: BLOCKS }, (_, block) => block) : [Math.floor(random('power cut')() * BLOCKS)];

const harness = await harnessOfFile();
const people = createPeople(harness);

/**
 * A board with the old image that loses its power at a block, each time or once, and a run that flashes the new one.
 */
async function cut(
  block: number,
  times: string,
): Promise<{ run: Awaited<ReturnType<typeof startFlow>>; held: () => 'old' | 'new' | 'neither'; mend: () => void }> {
  const board = await boardFor();
  board.flash.set(OLD);
  board.setFault(parseFault(`power-cut:${block}${times}`));
  const run = await startFlow(harness, {
    devices: { uno: { port: `net:127.0.0.1:${board.port}` } },
    // A tool that has lost its board over TCP hangs until its time is over; one that has its board needs some of it.
    steps: [
      {
        id: 'flash',
        flash: { device: 'uno', image: 'new.hex' },
        timeout: '15s',
        retry: { attempts: 2, backoff: '10ms' },
      },
    ],
    files: { 'new.hex': hexOf(NEW) },
  });
  const holds = (bytes: Uint8Array): boolean => Buffer.from(board.flash.slice(0, bytes.length)).equals(bytes);
  return { run, held: () => (holds(NEW) ? 'new' : holds(OLD) ? 'old' : 'neither'), mend: () => board.setFault(null) };
}

describe('a power cut at a block of a flash', () => {
  it.concurrent.each(SWEPT)('%i is mended by the next try', async (block) => {
    const { run, held } = await cut(block, 'x1');
    const { steps } = await endOf(harness, run);
    expect({ status: steps['flash']?.status, attempts: steps['flash']?.attempts, held: held() }).toEqual({
      status: 'success',
      attempts: 2,
      held: 'new',
    });
  });

  it.each(SWEPT)('%i that comes again and again ends at an open gate, and never as a success', async (block) => {
    const { run, held, mend } = await cut(block, '');
    expect(await people.gate(run.workflowId)).toMatchObject({ path: 'flash', kind: 'recovery' });
    expect(held()).not.toBe('new');
    mend();
    await people.say(run.workflowId, 'ana', { value: inline('retry') });
    expect((await endOf(harness, run)).outcome.status).toBe('success');
    expect(held()).toBe('new');
  });
});
