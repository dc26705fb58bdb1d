import type { Device, DeviceRef } from '../../plan/devices/device.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { Config } from './config.js';
import type { DeviceKinds } from './device-kinds.js';
import { loadDeviceKinds, toDeviceKind } from './device-kinds.js';
import type { AuthoredDevice } from '../formats/device-config.js';
import type { AuthoredDeviceKind } from '../formats/device-kind.js';
import type { Texts } from '../hash.js';
import { keepText } from '../hash.js';
import { didYouMean } from '../problems/did-you-mean.js';
import type { ProblemCode } from '../problems/problem.js';
import type { Project } from './project.js';
import { ownOf } from '../../plan/values/own.js';

/** Why a device cannot be used, in the words of a problem. */
export interface NoDevice {
  code: ProblemCode & ('unknown-device' | 'invalid-device');
  message: string;
  suggestion: string | null;
}

export type Found = { device: Device; task_queue: string | null } | NoDevice;

/** Finds devices of `perdure.yml` by name. Kinds are read when the first is asked for. */
export function createDevices(
  project: Pick<Project, 'root'>,
  { devices = {} }: Pick<Config, 'devices'>,
): (name: string) => Found {
  let kinds: DeviceKinds | null = null;
  return (name) => {
    const authored = ownOf(devices, name);
    if (authored === undefined) return unknownDevice(name, Object.keys(devices));
    kinds ??= loadDeviceKinds(project.root);
    const found = kinds.get(authored.kind);
    if (found === undefined)
      return invalid(
        name,
        `there is no kind \`${authored.kind}\``,
        didYouMean(authored.kind, [...kinds.keys()]) ?? `there are ${list(kinds.keys())}`,
      );
    if ('broken' in found) return invalid(name, `its kind \`${authored.kind}\` has a problem: ${found.broken}`, null);
    const kind = simulatedKind(authored, found.kind, kinds);
    if (kind === null)
      return invalid(
        name,
        `no board of the kind \`${authored.kind}\` has the chip \`${authored.simulates ?? ''}\``,
        'name a kind that has it, or leave `kind: simulated`',
      );
    return deviceOf(name, authored, kind);
  };
}

/**
 * A kind with the chip that is to be simulated, and no other: `kind: simulated` takes the knowledge of the first kind
 * that has boards with it. Null where there is none.
 */
function simulatedKind(
  { simulates }: AuthoredDevice,
  kind: AuthoredDeviceKind,
  kinds: DeviceKinds,
): AuthoredDeviceKind | null {
  if (simulates === undefined) return kind;
  const has = ({ boards }: AuthoredDeviceKind): boolean =>
    Object.values(boards).some(({ target }) => target === simulates);
  const others = [...kinds.values()].flatMap((one) => ('kind' in one ? [one.kind] : []));
  const base = has(kind) || kind.simulates === null ? kind : others.find(has);
  if (base === undefined || !has(base)) return null;
  const boards = Object.fromEntries(Object.entries(base.boards).filter(([, { target }]) => target === simulates));
  return { ...base, boards, simulates, by_hand: kind.by_hand };
}

function unknownDevice(name: string, known: string[]): NoDevice {
  const suggestion =
    didYouMean(name, known) ??
    (known.length === 0 ? `add it: \`devices: {${name}: {kind: simulated}}\`` : `there are ${list(known)}`);
  return { code: 'unknown-device', message: `\`perdure.yml\` names no device \`${name}\`.`, suggestion };
}

function invalid(name: string, why: string, suggestion: string | null): NoDevice {
  return {
    code: 'invalid-device',
    message: `The device \`${name}\` of \`perdure.yml\` cannot be used: ${why}.`,
    suggestion,
  };
}

function deviceOf(name: string, authored: AuthoredDevice, kind: AuthoredDeviceKind): Found {
  const { port = null, usb = null, fault = null, baud = kind.baud, programmer, task_queue = null } = authored;
  const names = Object.keys(kind.boards);
  const board = authored.board ?? names[0] ?? '';
  const values = ownOf(kind.boards, board);
  if (values === undefined)
    return invalid(
      name,
      `\`${kind.name}\` knows no board \`${board}\``,
      didYouMean(board, names) ?? `there are ${list(names)}`,
    );
  const refusal = refusalOf(name, { port, usb, fault }, kind);
  if (refusal !== null) return refusal;
  const { target, max_bytes, ...more } = values;
  const device: Device = {
    name,
    kind: { ...toDeviceKind(kind), baud },
    board,
    values: {
      ...kind.values,
      ...more,
      target,
      board,
      ...(programmer === undefined ? {} : { programmer }),
      ...authored.values,
    },
    target,
    max_bytes,
    port,
    usb,
    fault,
  };
  return { device, task_queue };
}

function refusalOf(
  name: string,
  { port, usb, fault }: Pick<Device, 'port' | 'usb' | 'fault'>,
  kind: AuthoredDeviceKind,
): NoDevice | null {
  if (port !== null && usb !== null) return invalid(name, 'it has both `port` and `usb`', 'keep one of them');
  if (port === null && usb === null && kind.usb.length === 0 && kind.simulates === null)
    return invalid(name, 'it has neither `port` nor `usb`', 'add `port: /dev/ttyACM0`');
  return fault !== null && kind.simulates === null ? invalid(name, '`fault` is for simulated boards', null) : null;
}

/** A device as a step names it: the text of all its data goes where long texts of a Plan go (I2). */
export function toDeviceRef({ device, task_queue }: Extract<Found, { device: Device }>, texts: Texts): DeviceRef {
  const { name, kind } = device;
  return {
    name,
    task_queue,
    key: portKeyOf(device),
    by_hand: kind.by_hand,
    spec: keepText(canonicalJson(device), texts),
  };
}

/** Two names of one port are one device. */
function portKeyOf({ name, port, usb, kind }: Device): string {
  return port ?? usb ?? `${kind.name}:${name}`;
}

/** Under which key a device is leased that hangs on the host of this task queue (`leaseKey` of the interpreter). */
export function leaseKeyOf(taskQueue: string, device: Device): string {
  return `${taskQueue}/${portKeyOf(device)}`;
}

function list(names: Iterable<string>): string {
  return [...names].map((one) => `\`${one}\``).join(', ');
}
