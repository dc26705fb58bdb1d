// @module-tag socat
// @module-tag avrdude
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explainPort } from '../../src/activities/devices/port/explain-port.js';
import { withPort } from '../../src/activities/devices/port/open-port.js';
import type { DeviceFolders } from '../../src/activities/dependencies.js';
import { awaitPort, findPort } from '../../src/activities/devices/port/ports.js';
import { listen } from '../../src/activities/devices/read-line.js';
import { openStore } from '../../src/store/local-store.js';
import { temporaryFolder } from '../activities/helpers/harness.js';
import { until } from '../faults/project.js';
import { closeBoards, boardFor, deviceOf } from './boards.js';
import { terminalTo } from './terminals.js';

closeBoards();

/** A system with USB devices, as `/sys` and `/dev` show them. */
async function createSystem(): Promise<
  DeviceFolders & {
    plug: (ids: string, tty: string | null, port?: string) => Promise<void>;
    unplug: (tty: string) => Promise<void>;
  }
> {
  const root = await temporaryFolder();
  const folders = { sys: join(root, 'sys'), dev: join(root, 'dev') };
  await mkdir(join(folders.sys, 'class', 'tty'), { recursive: true });
  await mkdir(join(folders.sys, 'bus', 'usb', 'devices'), { recursive: true });
  await mkdir(folders.dev);
  let plugged = 0;
  return {
    ...folders,
    async plug(ids, tty, port = '/dev/null') {
      plugged += 1;
      const [vendor = '', product = '', serial = 'A1'] = ids.split(':');
      const usb = join(folders.sys, 'devices', `usb${plugged}`);
      await mkdir(join(usb, 'interface'), { recursive: true });
      for (const [name, text] of Object.entries({ idVendor: vendor, idProduct: product, serial }))
        await writeFile(join(usb, name), `${text}\n`);
      await symlink(usb, join(folders.sys, 'bus', 'usb', 'devices', `1-${plugged}`));
      if (tty === null) return;
      await mkdir(join(folders.sys, 'class', 'tty', tty));
      await symlink(join(usb, 'interface'), join(folders.sys, 'class', 'tty', tty, 'device'));
      await symlink(port, join(folders.dev, tty));
    },
    async unplug(tty) {
      await rm(join(folders.sys, 'class', 'tty', tty), { recursive: true });
      await rm(join(folders.dev, tty));
    },
  };
}

describe('a device that is named by its USB ids', () => {
  it('is found by vendor and product, and by its serial number where two are plugged in', async () => {
    const system = await createSystem();
    const board = await boardFor();
    const { path } = await terminalTo(board.port);
    await system.plug('2341:0043:A1', 'ttyACM0', path);
    expect(await findPort(deviceOf({ usb: '2341:0043' }), system)).toEqual({
      path: join(system.dev, 'ttyACM0'),
      identity: path,
    });
    await system.plug('2341:0043:B2', 'ttyACM1', path);
    expect(await findPort(deviceOf({ usb: '2341:0043' }), system)).toMatchObject({
      missing: expect.stringContaining('Two boards fit `uno`') as string,
      mayCome: false,
    });
    expect(await findPort(deviceOf({ usb: '2341:0043:B2' }), system)).toMatchObject({
      path: join(system.dev, 'ttyACM1'),
    });
  });

  it('is waited for while it is away, and is refused at once where its port is no serial port', async () => {
    const system = await createSystem();
    const [signal, board] = [new AbortController().signal, await boardFor()];
    const { path } = await terminalTo(board.port);
    const found = awaitPort(deviceOf({ usb: '2341:0043' }), { signal, limitMs: 60_000, folders: system });
    await system.plug('2341:0043', 'ttyACM3', path);
    expect(await found).toMatchObject({ path: join(system.dev, 'ttyACM3') });
    await expect(awaitPort(deviceOf({ port: '/etc/hostname' }), { signal, limitMs: 60_000 })).rejects.toMatchObject({
      type: 'device-refused',
      message: '`/etc/hostname` of `uno` is no serial port.',
    });
    await expect(
      awaitPort(deviceOf({ usb: '9999:0001' }), { signal, limitMs: 0, folders: system }),
    ).rejects.toMatchObject({ type: 'device-missing' });
  });

  it('is listened to under its new name when it comes back as another port', async () => {
    const system = await createSystem();
    const [first, second] = [await boardFor(), await boardFor()];
    const before = await terminalTo(first.port);
    await system.plug('2341:0043', 'ttyACM0', before.path);
    const folder = await temporaryFolder();
    const setting = {
      store: await openStore(join(folder, '.perdure')),
      run: 'test',
      boardProgram: null,
      folders: system,
    };
    const { signal } = new AbortController();
    const opened: string[] = [];
    const log = {
      write: (_stream: string, text: string) => void opened.push(text),
      writeLast: (_stream: string, text: string) => void opened.push(text),
      close: async () => undefined,
    };
    const device = deviceOf({ usb: '2341:0043' });
    const heard = withPort(device, setting, signal, (port) =>
      listen(device, port, { expect: 'hello', write: null, after: null, timeoutMs: 30_000 }, { signal, log }),
    );
    await until(() => first.open() === 1);
    first.say('a');
    await until(() => opened.includes('a'));
    const after = await terminalTo(second.port);
    await system.unplug('ttyACM0');
    before.stop();
    await system.plug('2341:0043', 'ttyACM1', after.path);
    await until(() => opened.some((text) => text.startsWith('the port is gone')));
    const speak = setInterval(() => second.say('hello\n'), 20);
    expect((await heard).line).toMatch(/hello$/);
    clearInterval(speak);
  });
});

describe('doctor on a device', () => {
  it.each([
    {
      what: 'that is not plugged in: the cable',
      device: { usb: '2341:0043' },
      detail: /No board with the USB ids `2341:0043` is plugged in/,
      fix: /cable that carries data/,
    },
    {
      what: 'that has no port: the driver',
      plugged: '1a86:7523',
      device: { usb: '1a86:7523' },
      detail: /`1a86:7523` is plugged in/,
      fix: /sudo modprobe ch341/,
    },
    {
      what: 'that is no serial port: the configuration',
      device: { port: '/etc/hostname' },
      detail: /is no serial port/,
      fix: /Correct its `port`/,
    },
    {
      what: 'whose port is gone and which is not there: the cable',
      device: { port: '/dev/ttyACM77' },
      detail: /`\/dev\/ttyACM77` of `uno` is not there/,
      fix: /cable that carries data.*usb: "vendor:product"/,
    },
  ])('$what', async ({ plugged, device, detail, fix }) => {
    const system = await createSystem();
    if (plugged !== undefined) await system.plug(plugged, null);
    expect(await explainPort(deviceOf(device), system)).toEqual({
      ok: false,
      detail: expect.stringMatching(detail) as string,
      fix: expect.stringMatching(fix) as string,
    });
  });

  it('says where it is now when it has another port than was written', async () => {
    const system = await createSystem();
    const { path } = await terminalTo((await boardFor()).port);
    await system.plug('2341:0043', 'ttyACM5', path);
    expect((await explainPort(deviceOf({ port: '/dev/ttyACM77' }), system)).fix).toBe(
      `It is at \`${join(system.dev, 'ttyACM5')}\` now: correct \`port\`, or name it by \`usb: "2341:0043"\`.`,
    );
  });
});
