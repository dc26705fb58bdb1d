// @module-tag micropython
// @module-tag python-venv
// @module-tag socat
import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startProgram } from '../fakes/start-program.js';
import type { Harness } from '../workflows/helpers/harness.js';
import { record } from '../replay/record.js';
import { openHarness } from '../workflows/helpers/harness.js';
import { endOf, startFlow } from './flow.js';
import { installPythonTool } from './python-tools.js';
import { terminalTo } from './terminals.js';

/** Debian's package firmware-microbit-micropython. */
const FIRMWARE = '/usr/share/firmware-microbit-micropython/firmware.hex';
/** Slow enough for an emulator that is held up for some 50 ms. */
const LINE_BYTES = 4;
const LINE_MS = 4;
const PROGRAM = 'print("micropython ready")\nfor i in range(3):\n    print("tick", i)\n';

let harness: Harness;
beforeAll(async () => {
  installPythonTool('mpremote', '1.29.0');
  harness = await openHarness();
});
afterAll(async () => {
  await harness.close();
});

/**
 * QEMU's micro:bit with MicroPython, on a pseudo terminal, until the test ends. Its serial line takes what comes at
 * once, and the firmware's buffer has 64 bytes: so what is sent goes at a pace, as on a real line.
 */
async function startMicrobit(): Promise<string> {
  const line = createServer();
  await once(line.listen(0, '127.0.0.1'), 'listening');
  const board = await startProgram('qemu-system-arm', [
    '-M',
    'microbit',
    '-nographic',
    '-monitor',
    'none',
    '-serial',
    `tcp:127.0.0.1:${portOf(line)}`,
    '-device',
    `loader,file=${FIRMWARE}`,
  ]);
  const [serial] = (await once(line, 'connection')) as [Socket];
  const front = createServer((host) => {
    serial.pipe(host);
    host.on('data', (bytes: Buffer) => pace.push(...bytes));
    for (const end of [host, serial]) end.on('error', () => undefined); // They end in any order.
  });
  const pace: number[] = [];
  const timer = setInterval(() => pace.length > 0 && serial.write(Buffer.from(pace.splice(0, LINE_BYTES))), LINE_MS);
  await once(front.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    clearInterval(timer);
    board.kill('SIGKILL');
    serial.destroy();
    for (const server of [line, front]) server.close();
  });
  return (await terminalTo(portOf(front))).path;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port; // it listens

const steps = (source: string): unknown[] => [
  { id: 'build', compile: { device: 'lab', sources: [source] } },
  { id: 'flash', flash: { device: 'lab', image: '${steps.build.output}' } },
  { id: 'listen', serial: { device: 'lab', expect: 'tick 2', timeout: '60s' } },
];

describe('MicroPython on QEMU’s micro:bit', () => {
  it('goes from a source to what it prints, by mpremote', async () => {
    const port = await startMicrobit();
    const handle = await startFlow(harness, {
      devices: { lab: { kind: 'micropython', board: 'microbit', port } },
      steps: steps('main.py'),
      files: { 'main.py': PROGRAM },
      settings: { gates: 'fallback' },
    });
    const { outcome, steps: ended } = await endOf(harness, handle);
    expect({ status: outcome.status, error: outcome.error }).toEqual({ status: 'success', error: null });
    expect(await harness.json(ended['flash']?.output ?? null)).toMatchObject({
      device: 'lab',
      format: 'files',
      bytes: PROGRAM.length,
    });
    expect(await harness.json(outcome.output)).toContain('micropython ready\ntick 0\ntick 1\ntick 2');
    await record('device-steps', await handle.fetchHistory());
  });

  it('tells an error at the author’s file and line, and touches no board', async () => {
    const handle = await startFlow(harness, {
      devices: { lab: { kind: 'micropython', port: '/dev/ttyNONE7' } },
      steps: steps('src/main.py'),
      files: { 'src/main.py': 'print("ready")\nfor i in range(3)\n    print(i)\n' },
      settings: { gates: 'fallback' },
    });
    const { steps: ended } = await endOf(harness, handle);
    expect(ended['build']).toMatchObject({
      status: 'error',
      error: expect.stringMatching(/^src\/main\.py:2: SyntaxError: /) as string,
    });
    expect(ended['flash']).toMatchObject({ status: 'skipped' });
  });
});
