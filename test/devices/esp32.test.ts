// @seconds 20
// @module-tag python-venv
import { beforeAll, describe, expect, it } from 'vitest';
import type { EspName } from '../../src/activities/devices/board/esp/esp-chips.js';
import type { BoardEvent } from '../../src/activities/devices/board/board.js';
import { FULL, random } from '../faults/seed.js';
import { harnessOfFile } from '../workflows/helpers/harness.js';
import { closeEspBoards, CHIP_IDS, espBoard, espImage } from './esp-boards.js';
import { endOf, startFlow } from './flow.js';
import { installPythonTool } from './python-tools.js';

closeEspBoards();

const harness = await harnessOfFile();
beforeAll(() => installPythonTool('esptool', '5.6.0'));

const BLOCKS = 4;
const APP = 0x10000;

interface Flashed {
  status: string | undefined;
  attempts: number | undefined;
  error: string | null | undefined;
  heard: string | null;
  events: BoardEvent[];
  holds: boolean;
}

/** Flashes a board on a terminal by esptool, in a run that asks nobody, and listens to it. */
async function flash(fault: string, more: Record<string, unknown> = {}, chip: EspName = 'esp32'): Promise<Flashed> {
  const image = espImage(chip, ['arduino sketch ready', 'tick %d'], { blocks: BLOCKS });
  const events: BoardEvent[] = [];
  const board = await espBoard(chip, fault, { memoryFile: null, onEvent: (event) => events.push(event) });
  const handle = await startFlow(harness, {
    devices: { esp: { kind: 'esp32', board: chip, port: board.path } },
    steps: [
      { id: 'flash', flash: { device: 'esp', image: 'app.bin' }, ...more },
      { id: 'listen', serial: { device: 'esp', expect: 'tick 3', timeout: '60s' } },
    ],
    files: { 'app.bin': image },
    settings: { gates: 'fallback' },
  });
  const { steps } = await endOf(harness, handle);
  const { status, attempts, error } = steps['flash'] ?? {};
  const output = steps['listen']?.output ?? null;
  return {
    status,
    attempts,
    error,
    heard: output === null ? null : String(await harness.json(output)),
    events,
    holds: Buffer.from(board.flash.subarray(APP, APP + image.length)).equals(image),
  };
}

describe('a simulated board that esptool flashes', () => {
  it.concurrent.each(Object.keys(CHIP_IDS) as EspName[])('as an %s says the texts of its image', async (chip) => {
    const { heard, ...end } = await flash('', {}, chip);
    expect(end).toMatchObject({ status: 'success', attempts: 1, error: null, holds: true });
    expect(heard?.split('\n').filter((line) => line !== '')).toEqual([
      'simulated: arduino sketch ready',
      ...[0, 1, 2, 3].map((number) => `simulated: tick ${number}`),
    ]);
  });

  it.concurrent.each([
    ['another chip', 'wrong-part', /`esp` is another chip than expected\. esptool says: .*This chip is ESP32-S2, not/],
    ['a corrupt block', 'corrupt:2', /`esp` holds something else than was written\. esptool says: .*MD5/],
    ['a board that is mute', 'mute', /`esp` does not answer\. esptool says: .*Failed to connect/],
    ['a board that talks nonsense', 'garbage', /`esp` does not answer\. esptool says: .*Failed to connect/],
    ['a board that hangs', 'hang:1', /`esp` does not answer\. esptool says: /],
    ['a power cut', 'power-cut:1', /`esp` does not answer\. esptool says: /],
  ])('refuses %s', async (_, fault, error) => {
    const end = await flash(fault, { retry: { attempts: 1 } });
    expect(end).toMatchObject({
      status: 'error',
      attempts: 1,
      error: expect.stringMatching(error) as string,
      holds: false,
    });
  });

  it.concurrent.each(['corrupt:2x1', 'hang:1x1'])('is written anew after %s', async (fault) => {
    expect(await flash(fault)).toMatchObject({ status: 'success', attempts: 2, holds: true });
  });

  const swept = FULL ? Array.from({ length: BLOCKS }, (_, block) => block) : [Math.floor(random('esp cut')() * BLOCKS)];
  it.concurrent.each(swept)(
    'is written anew after a power cut in block %i, which esptool may mend by itself',
    async (block) => {
      const end = await flash(`power-cut:${block}x1`);
      expect(end).toMatchObject({ status: 'success', holds: true });
      expect(end.events).toContain('power-cut');
    },
  );

  it.concurrent.each(swept)('is never taken for written when block %i is cut again and again', async (block) => {
    const end = await flash(`power-cut:${block}`, { retry: { attempts: 2, backoff: '10ms' } });
    expect(end).toMatchObject({ status: 'error', attempts: 2, holds: false });
  });
});
