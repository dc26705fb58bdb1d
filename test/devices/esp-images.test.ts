// @seconds 15
// @module-tag python-venv
import { beforeAll, describe, expect, it } from 'vitest';
import type { StepResult } from '../../src/plan/result.js';
import type { EspName } from '../../src/activities/devices/board/esp/esp-chips.js';
import { harnessOfFile } from '../workflows/helpers/harness.js';
import { closeEspBoards, espBoard, espImage } from './esp-boards.js';
import { endOf, startFlow } from './flow.js';
import { installPythonTool } from './python-tools.js';

closeEspBoards();

const harness = await harnessOfFile();
beforeAll(() => {
  installPythonTool('esptool', '5.6.0');
  installPythonTool('mpremote', '1.29.0');
});

const TABLE = Buffer.concat([Buffer.from([0xaa, 0x50]), Buffer.alloc(3070, 0x31)]);
const FILES = {
  'boot.bin': espImage('esp32', ['boot loader'], { seed: 2 }),
  'table.bin': TABLE,
  'app.bin': espImage('esp32', ['the app is here', 'tick %d'], { seed: 3 }),
  'esp32.bin': espImage('esp32', ['MicroPython v1.26.0 on an ESP32'], { seed: 4 }),
  'esp32s3.bin': espImage('esp32s3', ['MicroPython v1.26.0 on an ESP32-S3'], { seed: 5 }),
  'board/main.py': 'import lib\nn = 0\nprint("micropython ready")\nwhile True:\n    print("tick", n)\n    n += 1\n',
  'board/lib.py': "NAME = 'it\\'s'\n",
  'board/data.json': '{"unit": "°C"}',
};

/** Flashes a board, by what its step says, and gives how that ended and what the board holds. */
async function flash(
  flashed: Record<string, unknown>,
  { chip = 'esp32', fault = '', more = [] as unknown[] } = {},
): Promise<{ steps: Record<string, StepResult>; flash: Buffer }> {
  const board = await espBoard(chip as EspName, fault);
  const handle = await startFlow(harness, {
    devices: { esp: { kind: 'esp32', board: chip, port: board.path } },
    steps: [{ id: 'flash', flash: { device: 'esp', ...flashed } }, ...more],
    files: FILES,
    settings: { gates: 'fallback' },
  });
  const { steps } = await endOf(harness, handle);
  return { steps, flash: Buffer.from(board.flash) };
}

const LISTEN = { id: 'listen', serial: { device: 'esp', expect: 'tick 2', timeout: '60s' } };

describe('a flash of several images', () => {
  it('writes each to its place in one go, and the board starts', async () => {
    const { steps, flash: memory } = await flash(
      {
        images: [
          { offset: 'bootloader', image: 'boot.bin' },
          { offset: 0x8000, image: 'table.bin' },
          { offset: '0x10000', image: 'app.bin' },
        ],
      },
      { more: [LISTEN] },
    );
    expect(steps['flash']).toMatchObject({ status: 'success', attempts: 1, error: null });
    for (const [offset, bytes] of [
      [0x1000, FILES['boot.bin']],
      [0x8000, TABLE],
      [0x10000, FILES['app.bin']],
    ] as const)
      expect(memory.subarray(offset, offset + bytes.length).equals(bytes)).toBe(true);
    expect(await harness.json(steps['flash']?.output ?? null)).toMatchObject({
      device: 'esp',
      images: [{ offset: '0x1000' }, { offset: '0x8000', bytes: TABLE.length }, { offset: '0x10000' }],
      files: [],
    });
    expect(await harness.json(steps['listen']?.output ?? null)).toContain('simulated: the app is here');
  });

  it.concurrent.each([
    ['esp32', '0x1000'],
    ['esp32s3', '0x0'],
  ])('puts MicroPython onto an %s at %s, and then three files', async (chip, offset) => {
    const { steps } = await flash(
      {
        images: [{ offset, image: `${chip}.bin` }],
        files: ['board/main.py', 'board/lib.py', 'board/data.json'],
      },
      { chip, more: [LISTEN] },
    );
    expect(steps['flash']).toMatchObject({ status: 'success', attempts: 1, error: null });
    expect(await harness.json(steps['flash']?.output ?? null)).toMatchObject({
      images: [{ offset }],
      files: [{ name: 'main.py' }, { name: 'lib.py' }, { name: 'data.json', bytes: 15 }],
    });
    expect(await harness.json(steps['listen']?.output ?? null)).toContain('simulated: micropython ready');
  });

  it.concurrent('compares the files too: one that a fault has changed is written anew', async () => {
    const files = ['board/main.py', 'board/lib.py'];
    const { steps } = await flash(
      { images: [{ offset: 'bootloader', image: 'esp32.bin' }], files },
      { fault: 'corrupt:0x1', more: [LISTEN] },
    );
    expect(steps['flash']).toMatchObject({ status: 'success', attempts: 2 });
    expect(steps['listen']).toMatchObject({ status: 'success' });
  });

  it.concurrent.each<[string, Record<string, unknown>, string, RegExp]>([
    [
      'a boot loader at a place where the chip starts nothing',
      { images: [{ offset: '0x1000', image: 'esp32s3.bin' }] },
      'esp32s3',
      /A `esp32s3` starts what is at 0x0; the image is for 0x1000\. `esp` was not touched/,
    ],
    [
      'an image for another chip',
      { images: [{ offset: 'app', image: 'esp32s3.bin' }] },
      'esp32',
      /The image is for `esp32s3`; `esp` is a `esp32`/,
    ],
    [
      'images that reach into each other',
      {
        images: [
          { offset: 'app', image: 'app.bin' },
          { offset: '0x11000', image: 'table.bin' },
        ],
      },
      'esp32',
      /The image at 0x10000 has \d+ bytes and reaches into the one at 0x11000/,
    ],
    [
      'a place that nobody knows',
      { images: [{ offset: 'apps', image: 'app.bin' }] },
      'esp32',
      /Expected an offset such as `0x1000`, or `app`, `bootloader`, `partitions`; got `"apps"`/,
    ],
    [
      'an image that does not fit',
      { images: [{ offset: '0x3ff000', image: 'app.bin' }] },
      'esp32',
      /needs \d+ bytes; `esp32` has room for 4194304/,
    ],
    [
      'two files of one name',
      { image: 'app.bin', files: ['board/main.py', './board/main.py'] },
      'esp32',
      /Two files are called `main.py`/,
    ],
  ])('refuses %s before the board is touched', async (_, flashed, chip, error) => {
    const { steps, flash: memory } = await flash(flashed, { chip });
    expect(steps['flash']).toMatchObject({
      status: 'error',
      attempts: 1,
      error: expect.stringMatching(error) as string,
    });
    expect(memory.every((byte) => byte === 0xff)).toBe(true);
  });
});
