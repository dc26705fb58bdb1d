import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Device } from '../../../plan/devices/device.js';
import type { DeviceFolders } from '../../dependencies.js';
import { GROUP_HINT, SYSTEM, findPort } from './ports.js';

/** Whether a device of this host can be used, and else what a person can do about it. */
export interface PortFinding {
  ok: boolean;
  detail: string;
  fix: string | null;
}

const CABLE = 'Plug it in with a cable that carries data: many only charge. `lsusb` must then show it.';
/** Drivers of the serial chips that boards have, by USB vendor. */
const DRIVERS: Record<string, string> = {
  '2341': 'cdc_acm',
  '2a03': 'cdc_acm',
  '2e8a': 'cdc_acm',
  '303a': 'cdc_acm',
  '0d28': 'cdc_acm',
  f055: 'cdc_acm',
  '1a86': 'ch341',
  '10c4': 'cp210x',
  '0403': 'ftdi_sio',
};

/**
 * Looks at all that is between a device and its port: the cable (is it on the USB at all?), the driver (is it there and
 * has no port?), the group (may this user open it?).
 */
export async function explainPort(device: Device, folders: DeviceFolders = SYSTEM): Promise<PortFinding> {
  const found = await findPort(device, folders);
  if ('path' in found) return { ok: true, detail: `${device.kind.name} ${device.board} at ${found.path}`, fix: null };
  const { missing: detail } = found;
  if (!found.mayCome)
    return {
      ok: false,
      detail,
      fix: detail.includes(GROUP_HINT) ? null : 'Correct its `port` or `usb` in perdure.yml',
    };
  const wanted = device.usb === null ? device.kind.usb : [device.usb];
  const there = (await usbDevices(folders)).find((ids) =>
    wanted.some((want) => ids === want.toLowerCase().split(':').slice(0, 2).join(':')),
  );
  if (there === undefined)
    return {
      ok: false,
      detail,
      fix:
        device.port === null
          ? CABLE
          : `${CABLE} Its port may have another name now: \`usb: "vendor:product"\` finds it by its ids.`,
    };
  const driver = DRIVERS[there.split(':')[0] ?? ''];
  return {
    ok: false,
    detail: `${detail} \`${there}\` is plugged in.`,
    fix: await portless(device, there, driver, folders),
  };
}

/** A board that the USB shows: either it has another port than was said, or none, for want of a driver. */
async function portless(
  device: Device,
  ids: string,
  driver: string | undefined,
  folders: DeviceFolders,
): Promise<string> {
  const elsewhere = await findPort({ ...device, port: null, usb: ids }, folders);
  if ('path' in elsewhere)
    return `It is at \`${elsewhere.path}\` now: correct \`port\`, or name it by \`usb: "${ids}"\`.`;
  return (
    `The kernel has no driver for it${driver === undefined ? '' : `: \`sudo modprobe ${driver}\``}. In a ` +
    `container or a virtual machine, pass the device on.`
  );
}

/** `vendor:product` of everything on the USB, as sysfs shows it. */
async function usbDevices({ sys }: DeviceFolders): Promise<string[]> {
  const folder = join(sys, 'bus', 'usb', 'devices');
  const names = await readdir(folder).catch(() => []);
  const read = async (name: string, file: string): Promise<string | null> =>
    readFile(join(folder, name, file), 'utf8').then(
      (text) => text.trim(),
      () => null,
    );
  const found = await Promise.all(
    names.map(async (name) => {
      const [vendor, product] = await Promise.all([read(name, 'idVendor'), read(name, 'idProduct')]);
      return vendor === null || product === null ? [] : [`${vendor}:${product}`];
    }),
  );
  return found.flat();
}
