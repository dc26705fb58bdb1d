import type { Json, JsonObject } from '../values/json.js';
import { isObject } from '../values/json.js';
import { mapIn, textIn, textsIn } from './build-spec.js';

/** Where the result of a build goes. `both` is a page and boards. */
export const TARGETS = ['preview', 'web', 'esp32', 'both'] as const;
export type Target = (typeof TARGETS)[number];

/** The step of a build that makes its page. */
export const PAGE_STEP = 'deploy_page';

/** The step of a build that compiles for a board, flashes it or listens to it; `index` is its place in the spec. */
export function boardStep(index: number, what: 'compile' | 'flash' | 'listen'): string {
  return `deploy_${index + 1}_${what}`;
}

/** A board that the result of a build is for, as its spec says it. */
export interface TargetDevice {
  /** Its name in `perdure.yml`. */
  name: string;
  /** Files from the project's folder that the device's kind compiles; none where something else makes the image. */
  sources: string[];
  /** A command that makes the image; none for the device's own compiler. */
  compile: string[] | null;
  /** What is flashed where it is not what `sources` become: a path, or a list of `{offset, image}`. */
  image: Json;
  /** Files for the board's own file system. */
  files: string[];
  /** What it must say on its serial line. */
  expect: string | null;
  /** Why it cannot be flashed, as the compiler found; null where nothing stands against it. */
  fault: string | null;
}

/** Where the result goes; `preview` where the spec leaves it open. */
export function targetOf(spec: Json): Target {
  const target = textIn(mapIn(spec, 'deployment'), 'target');
  return TARGETS.find((one) => one === target) ?? 'preview';
}

/**
 * The boards that the result of a build is flashed to: those that the spec names, where its target or its type is
 * hardware. With `target: esp32` alone one called `esp32`.
 */
export function targetDevices(spec: Json): TargetDevice[] {
  const target = targetOf(spec);
  const isHardware = target === 'esp32' || target === 'both' || textIn(mapIn(spec, 'nugget'), 'type') === 'hardware';
  if (!isHardware) return [];
  const named = (isObject(spec) && Array.isArray(spec['devices']) ? spec['devices'] : []).filter(isObject);
  const faults = mapIn(spec, 'board_faults');
  const devices = named.filter((device) => nameOf(device) !== '').map((device) => deviceOf(device, faults));
  return devices.length > 0 || target !== 'esp32' ? devices : [deviceOf({ name: 'esp32' }, faults)];
}

/** The program of a device whose spec does not say where it is, so that its builder can be told. */
export function programOf(name: string): string {
  return `${name}/${name}.ino`;
}

function nameOf(device: JsonObject): string {
  return textIn(device, 'name') || textIn(device, 'instanceId');
}

function deviceOf(device: JsonObject, faults: JsonObject): TargetDevice {
  const name = nameOf(device);
  const compile = textsIn(device, 'compile');
  const image = device['images'] ?? device['image'] ?? null;
  const files = textsIn(device, 'files');
  const sources = textsIn(device, 'sources');
  const isGiven = image !== null || files.length > 0;
  return {
    name,
    sources: sources.length > 0 || isGiven ? sources : [programOf(name)],
    compile: compile.length > 0 ? compile : null,
    image,
    files,
    expect: textIn(device, 'expect') || null,
    fault: textIn(faults, name) || null,
  };
}
