import { beforeAll, afterAll, describe, expect, it } from 'vitest';
import { meaningOf, toolFailure } from '../../src/activities/devices/judge-tool.js';
import type { Harness } from '../workflows/helpers/harness.js';
import { openHarness } from '../workflows/helpers/harness.js';
import { closeBoards, boardFor, deviceOf } from './boards.js';
import { endOf, startFlow } from './flow.js';
import { installPythonTool } from './python-tools.js';
import { terminalTo } from './terminals.js';

closeBoards();

describe('what tools say means', () => {
  it.each([
    ['avr-arduino', 'avrdude: stk500_getsync() attempt 10 of 10: not in sync: resp=0x00', 'mute'],
    ['avr-arduino', 'avrdude error: programmer is not responding', 'mute'],
    [
      'avr-arduino',
      'avrdude error: expected signature for ATmega328P is 1E 95 0F\n- use -F to override this check\navrdude ' +
        'error: protocol expects sync byte 0x14 but got 0x10',
      'mute',
    ],
    [
      'avr-arduino',
      'avrdude: verification error, first mismatch at byte 0x0000\navrdude error: verification mismatch',
      'mismatch',
    ],
    ['avr-arduino', 'avrdude error: expected signature for ATmega2560 is 1E 98 01', 'wrong-part'],
    ['avr-arduino', 'avrdude error: file nope.hex is not readable', 'unreadable'],
    ['avr-arduino', 'avrdude ser_open() error: cannot open port /dev/ttyACM0: No such file or directory', 'missing'],
    ['avr-arduino', 'avrdude ser_open() error: cannot open port /dev/ttyACM0: Permission denied', 'refused'],
    ['avr-arduino', 'avrdude ser_open() error: cannot open port /dev/ttyACM0: Device or resource busy', 'busy'],
    [
      'esp32',
      "Could not open /dev/ttyUSB0, the port is busy or doesn't exist.\n([Errno 2] could not open port " +
        "/dev/ttyUSB0: [Errno 2] No such file or directory: '/dev/ttyUSB0')",
      'missing',
    ],
    [
      'esp32',
      "Could not open /dev/ttyUSB0, the port is busy or doesn't exist.\n([Errno 11] Could not exclusively lock " +
        'port /dev/ttyUSB0: [Errno 11] Resource temporarily unavailable)',
      'busy',
    ],
    [
      'esp32',
      "Could not open /dev/ttyUSB0, the port is busy or doesn't exist.\n([Errno 13] could not open port " +
        "/dev/ttyUSB0: [Errno 13] Permission denied: '/dev/ttyUSB0')",
      'refused',
    ],
    ['esp32', 'A fatal error occurred: Failed to connect to ESP32: No serial data received.', 'mute'],
    ['esp32', 'A fatal error occurred: This chip is ESP32-S3, not ESP32. Wrong chip argument?', 'wrong-part'],
    ['esp32', 'A fatal error occurred: MD5 of file does not match data in flash!', 'mismatch'],
    [
      'micropython',
      'Traceback (most recent call last):\n  File "<stdin>", line 4, in <module>\nAssertionError: verification ' +
        'mismatch',
      'mismatch',
    ],
    ['micropython', 'mpremote: failed to access /dev/ttyACM0 (it may be in use by another program)', 'busy'],
    ['micropython', 'mpremote: could not enter raw repl', 'mute'],
  ])('%s: %s', (kind, said, means) => {
    expect(meaningOf(deviceOf({ kind, port: '/dev/ttyACM0' }).kind, said)?.means).toBe(means);
  });

  it('is a board that died where the port is lost after a write, and unknown words are told as they are', () => {
    const device = deviceOf({ port: '/dev/ttyACM0' });
    expect(toolFailure(device, 'avrdude', { code: 1, said: 'cannot open port /dev/ttyACM0' }, true)).toMatchObject({
      type: 'device-mute',
    });
    expect(toolFailure(device, 'avrdude', { code: 1, said: 'cannot open port /dev/ttyACM0' }, false)).toMatchObject({
      type: 'device-missing',
    });
    expect(toolFailure(device, 'avrdude', { code: 3, said: 'one\ntwo\n' }, false)).toMatchObject({
      type: 'flash-failed',
      message: '`uno`: avrdude ended with 3: one · two',
    });
  });
});

describe('esptool', { tags: ['python-venv', 'socat'] }, () => {
  let harness: Harness;
  beforeAll(async () => {
    installPythonTool('esptool', '5.6.0');
    harness = await openHarness();
  });
  afterAll(async () => {
    await harness.close();
  });

  it('takes our arguments, and finds a mute board out', async () => {
    const { path } = await terminalTo((await boardFor('mute')).port);
    const image = Buffer.alloc(64, 0xe9);
    image.writeUInt16LE(0, 12);
    const handle = await startFlow(harness, {
      devices: { esp: { kind: 'esp32', port: path } },
      settings: { gates: 'fallback' },
      steps: [
        {
          id: 'flash',
          flash: {
            device: 'esp',
            image: {
              format: 'bin',
              target: 'esp32',
              files: [{ name: 'image.bin', encoding: 'base64', data: image.toString('base64') }],
            },
          },
          retry: { attempts: 1 },
        },
      ],
    });
    expect((await endOf(harness, handle)).steps['flash']).toMatchObject({
      status: 'error',
      attempts: 1,
      error: expect.stringMatching(/^`esp` does not answer\. esptool says: .*Failed to connect to ESP32/) as string,
    });
  });
});
