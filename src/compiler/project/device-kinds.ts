import { extname, join } from 'node:path';
import type { DeviceKind } from '../../plan/devices/device.js';
import type { AuthoredDeviceKind } from '../formats/device-kind.js';
import { deviceKindSchema } from '../formats/device-kind.js';
import type { Problem, Report } from '../problems/problem.js';
import { createReport } from '../problems/problem.js';
import { listFolder, packageRoot } from '../text/disk.js';
import { readSettings } from '../text/read-source.js';

/** Kinds of devices by name: the project's own files go before those that come with the package. */
export type DeviceKinds = Map<string, { kind: AuthoredDeviceKind } | { broken: string }>;

/** Reads `definitions/devices/*.yml` of a project and of the package. */
export function loadDeviceKinds(projectRoot: string): DeviceKinds {
  const kinds: DeviceKinds = new Map();
  for (const root of new Set([packageRoot(), projectRoot])) {
    const folder = join(root, 'definitions', 'devices');
    const files = new Map<string, string>();
    for (const { name, kind } of listFolder(folder)) {
      if (kind !== 'file' || !['.yml', '.yaml'].includes(extname(name))) continue;
      const { problems, report } = createReport();
      const found = readDeviceKind(join(folder, name), projectRoot, report);
      const called = found?.name ?? name.slice(0, -extname(name).length);
      const other = files.get(called);
      files.set(called, name);
      if (other !== undefined) kinds.set(called, { broken: `\`${other}\` and \`${name}\` both have its name` });
      else kinds.set(called, found === null ? { broken: brokenBy(problems) } : { kind: found });
    }
  }
  return kinds;
}

/** Reads one kind's file; null when it has problems, which are reported. */
export function readDeviceKind(
  file: string,
  cwd: string,
  report: Report,
  sources?: Map<string, string>,
): AuthoredDeviceKind | null {
  return readSettings(deviceKindSchema, file, { cwd, report, sources });
}

function brokenBy([first]: Problem[]): string {
  return first === undefined ? 'it is empty' : `${first.file}:${first.line}: ${first.message}`;
}

/** What activities need of a kind; its boards have become values of the device. */
export function toDeviceKind({
  boards: _boards,
  values: _values,
  description: _description,
  ...kind
}: AuthoredDeviceKind): DeviceKind {
  return kind;
}
