import { constants } from 'node:fs';
import { access, readFile, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Device } from '../../../plan/devices/device.js';
import { errorCode } from '../../../store/store-failure.js';
import { stepFailure } from '../../failures.js';
import type { DeviceFolders } from '../../dependencies.js';

/** Linux's own. */
export const SYSTEM: DeviceFolders = { sys: '/sys', dev: '/dev' };

/** A port that is there. */
export interface Port {
  /** As tools take it: `/dev/ttyACM0`, `net:127.0.0.1:7777`. */
  path: string;
  /** What a port is, equal for each of its names. */
  identity: string;
}

/** Why a port cannot be used now. */
export interface NoPort {
  missing: string;
  /** True where the port may still come, as that of a board does that was reset. */
  mayCome: boolean;
}

const AGAIN_MS = 100;
/** What a serial port is called, once all links are followed: disks and memory are no boards. */
const SERIAL = /\/(tty(?!\d)[A-Za-z]+\d+|pts\/\d+|cu\.[\w.-]+|rfcomm\d+)$/;

/**
 * Waits until a device's port is there, for at most `limitMs`: boards vanish while they start anew. Throws
 * `device-missing`.
 */
export async function awaitPort(
  device: Device,
  { signal, limitMs, folders }: { signal: AbortSignal; limitMs: number; folders?: DeviceFolders },
): Promise<Port> {
  const started = performance.now();
  for (;;) {
    const found = await findPort(device, folders);
    if ('path' in found) return found;
    if (!found.mayCome || performance.now() - started > limitMs)
      throw stepFailure(found.mayCome ? 'device-missing' : 'device-refused', found.missing);
    await pause(AGAIN_MS, undefined, { signal });
  }
}

/** Looks for a device's port once: where it is said to be, else where a board with its USB ids is. */
export async function findPort(device: Device, folders: DeviceFolders = SYSTEM): Promise<Port | NoPort> {
  const { port } = device;
  if (port !== null) return port.startsWith('net:') ? { path: port, identity: port } : serialPort(device, port);
  const wanted = device.usb === null ? device.kind.usb : [device.usb];
  const [found, second] = await byUsb(wanted, folders);
  if (found === undefined)
    return {
      missing:
        `No board with the USB ids ${wanted.map((ids) => `\`${ids}\``).join(', ')} is plugged in ` +
        `(\`${device.name}\`).`,
      mayCome: true,
    };
  if (second !== undefined)
    return {
      missing:
        `Two boards fit \`${device.name}\`: \`${found}\` and \`${second}\`. Name its port, or its serial number ` +
        `as \`usb: "vendor:product:serial"\`.`,
      mayCome: false,
    };
  return serialPort(device, found);
}

async function serialPort(device: Device, path: string): Promise<Port | NoPort> {
  try {
    const real = await realpath(path);
    const found = await stat(real);
    if (!found.isCharacterDevice() || !SERIAL.test(real))
      return { missing: `\`${path}\` of \`${device.name}\` is no serial port.`, mayCome: false };
    await access(real, constants.R_OK | constants.W_OK);
    return { path, identity: real };
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EACCES')
      return { missing: `This user may not open \`${path}\` (\`${device.name}\`). ${GROUP_HINT}`, mayCome: false };
    return {
      missing:
        `The port \`${path}\` of \`${device.name}\` is not ` +
        `there${code === 'ENOENT' || code === undefined ? '' : ` (${code})`}.`,
      mayCome: true,
    };
  }
}

export const GROUP_HINT = 'On Debian and its kin: `sudo usermod -aG dialout $USER`, then log in again.';

/** Serial ports of boards with one of these ids, as sysfs shows them. */
async function byUsb(wanted: string[], { sys, dev }: DeviceFolders): Promise<string[]> {
  const names = await readdir(join(sys, 'class', 'tty')).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const ids = await usbIdsOf(join(sys, 'class', 'tty', name, 'device'));
      return ids !== null && wanted.some((want) => fits(want, ids)) ? [join(dev, name)] : [];
    }),
  );
  return found.flat().sort();
}

function fits(want: string, ids: string): boolean {
  return want.split(':').length > 2 ? ids === want : ids.startsWith(`${want.toLowerCase()}:`);
}

/** `vendor:product:serial` of the USB device above a tty, or null for a tty that hangs on none. */
async function usbIdsOf(link: string): Promise<string | null> {
  let folder = await realpath(link).catch(() => null);
  const read = async (name: string): Promise<string | null> =>
    readFile(join(folder ?? '', name), 'utf8').then(
      (text) => text.trim(),
      () => null,
    );
  // An interface of the USB device is one or two levels above the tty.
  for (let level = 0; folder !== null && level < 4; level += 1) {
    const [vendor, product, serial] = [await read('idVendor'), await read('idProduct'), await read('serial')];
    if (vendor !== null && product !== null) return `${vendor}:${product}:${serial ?? ''}`;
    folder = dirname(folder);
  }
  return null;
}
