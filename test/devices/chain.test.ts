// @module-tag avrdude
// @module-tag arduino
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildImage } from '../../src/activities/devices/build-image.js';
import { checkImage } from '../../src/activities/devices/check-image.js';
import { withPort } from '../../src/activities/devices/port/open-port.js';
import { listen } from '../../src/activities/devices/read-line.js';
import type { Workbench } from '../../src/activities/devices/tool.js';
import { holdsImage, writeImage } from '../../src/activities/devices/write-image.js';
import type { Image } from '../../src/plan/devices/device.js';
import { openStore } from '../../src/store/local-store.js';
import { temporaryFolder } from '../activities/helpers/harness.js';
import { FULL } from '../faults/seed.js';
import { openHarness } from '../workflows/helpers/harness.js';
import { closeBoards, BLINK, BOARD_PROGRAM, boardFor, deviceOf, imageOfPages } from './boards.js';
import { endOf, startFlow } from './flow.js';
import { startSimavr } from './simavr.js';

closeBoards();

async function bench(
  signal = new AbortController().signal,
): Promise<{ bench: Workbench; store: Awaited<ReturnType<typeof openStore>> }> {
  const cwd = await temporaryFolder();
  const store = await openStore(join(cwd, '.perdure'));
  await mkdir(join(cwd, 'src'));
  await writeFile(join(cwd, 'src', 'Blink.ino'), BLINK);
  return {
    store,
    bench: {
      owner: { store: store.id, run: 'test' },
      state: store.folder,
      cwd,
      signal,
      log: { write: () => undefined, writeLast: () => undefined, close: async () => undefined },
    },
  };
}

describe('with the real tools and a simulated board', () => {
  it('goes from a sketch to the first tick on the serial line', async () => {
    const { bench: tools, store } = await bench();
    const board = await boardFor('', { idle: false });
    const device = deviceOf({ port: `net:127.0.0.1:${board.port}` });
    const image = await buildImage(device, ['src/Blink.ino'], tools);
    checkImage(image, device);
    const progress = {};
    const setting = { store, run: 'test', boardProgram: null };
    await withPort(device, setting, tools.signal, async (port) => {
      await writeImage(device, image, { port, bench: tools, progress });
      expect(await holdsImage(device, image, { port, bench: tools, progress })).toBe(true);
      expect(await holdsImage(device, imageOfPages(20, 1), { port, bench: tools, progress })).toBe(false);
    });
    expect(progress).toEqual({ phase: 'verifying', percent: 100 });
    const heard = await withPort(device, setting, tools.signal, (port) =>
      listen(device, port, { expect: 'tick 3', write: null, after: null, timeoutMs: 60_000 }, tools),
    );
    expect(heard).toEqual({ text: 'arduino sketch ready\ntick 0\ntick 1\ntick 2\ntick 3', line: 'tick 3' });
  });

  it('simulates a board that keeps its program from step to step', async () => {
    const { bench: tools, store } = await bench();
    const device = deviceOf({ kind: 'simulated' });
    const image: Image = await buildImage(device, ['src/Blink.ino'], tools);
    const setting = { store, run: 'test', boardProgram: BOARD_PROGRAM };
    await withPort(device, setting, tools.signal, (port) =>
      writeImage(device, image, { port, bench: tools, progress: {} }),
    );
    const heard = await withPort(device, setting, tools.signal, (port) =>
      listen(device, port, { expect: 'tick 0', write: null, after: null, timeoutMs: 60_000 }, tools),
    );
    expect(heard.line).toBe('tick 0');
  });
});

/**
 * Counts round and round: who listens anew finds all of it, whether or not the board has noticed that it was opened
 * anew.
 */
const ROUNDS = `#include <avr/wdt.h>
void setup() {
  wdt_disable();
  Serial.begin(115200);
}
void loop() {
  static int n;
  Serial.print(F("tick "));
  Serial.println(n++ % 4);
  delay(50);
}
`;

// Its bootloader keeps real time, which a machine that tests fill does not: it belongs to the full run.
describe.each(FULL ? ['a board of simavr with Arduino’s own bootloader'] : [])('%s, on a terminal', () => {
  it(
    'is compiled for, flashed, read back and listened to by a run',
    { tags: ['simavr'], timeout: 300_000 },
    async () => {
      const harness = await openHarness();
      onTestFinished(() => harness.close());
      const handle = await startFlow(harness, {
        devices: { uno: { port: await startSimavr() } },
        files: { 'Rounds.ino': ROUNDS },
        settings: { gates: 'fallback' },
        steps: [
          { id: 'build', compile: { device: 'uno', sources: ['Rounds.ino'] } },
          {
            id: 'flash',
            flash: { device: 'uno', image: '${steps.build.output}', boot: { expect: 'tick 0', timeout: '30s' } },
          },
          { id: 'listen', serial: { device: 'uno', expect: 'tick 3', timeout: '30s' } },
        ],
      });
      const { outcome } = await endOf(harness, handle);
      expect({ status: outcome.status, error: outcome.error }).toEqual({ status: 'success', error: null });
      expect(await harness.json(outcome.output)).toMatch(/tick 3$/);
    },
  );
});
