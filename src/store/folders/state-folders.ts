import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { realOf } from './places.js';

/** The file that makes a folder one of state, whatever it is called and wherever it lies. */
export const STORE_FILE = 'store.json';
/** It has a line, in which there may be two paths. */
const FILE_BYTES = 64 * 1024;

/**
 * Tells whether a folder is one of Perdure's state: ours, or that of another project. Asked of the folder that is open
 * or named, so no link, mount or other spelling of its path makes it another. Takes microseconds where it is none.
 */
export function isStateFolder(path: string): boolean {
  const file = join(path, STORE_FILE);
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    return found?.isFile() === true && found.size <= FILE_BYTES && namesStore(file);
  } catch {
    return false; // it is no folder, or one that nobody may look into
  }
}

function namesStore(file: string): boolean {
  try {
    const handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!fstatSync(handle).isFile()) return false;
      const bytes = Buffer.alloc(FILE_BYTES);
      return readsAsStore(bytes.toString('utf8', 0, readSync(handle, bytes)));
    } finally {
      closeSync(handle);
    }
  } catch {
    return false;
  }
}

/** Tells whether a text, as its `store.json`, would make a folder one of state. */
export function readsAsStore(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return (
      typeof value === 'object' &&
      value !== null &&
      'id' in value &&
      'version' in value &&
      typeof value.id === 'string' &&
      /^[a-z2-7]{8}$/.test(value.id)
    );
  } catch {
    return false;
  }
}

/** The path of a work tree, or of what is in it, from the state folder: what runs work in is no state itself. */
const IN_WORK_TREE = /^worktrees\/[^/]+\/trees\/[^/]+(?:\/|$)/;

/** The state folder that a folder is, or is in; null where it is in none, or in a work tree that we made. */
export function stateAround(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (isStateFolder(at) && !IN_WORK_TREE.test(relative(at, folder))) return at;
    if (dirname(at) === at) return null;
  }
}

/**
 * The paths below a folder where a state folder, or a part of it, is to be seen: where it lies, and where it, what
 * holds it or what is in it is mounted once more. All are real paths.
 */
export function placesOf(stateDir: string, folder: string): string[] {
  const real = realOf(stateDir);
  const places = [real, ...mountedPlaces(real, mountsNow())];
  return [...new Set(places)].filter((path) => path.startsWith(`${folder === '/' ? '' : folder}/`));
}

/**
 * Where a folder of that real path, what holds it or what is in it stands by these mounts, which are lines of
 * `/proc/self/mountinfo` (proc_pid_mountinfo(5)).
 */
export function mountedPlaces(real: string, mountinfo: string): string[] {
  const mounts = mountsIn(mountinfo);
  const own = mounts.findLast(({ point }) => isWithin(real, point));
  if (own === undefined) return [];
  const inside = join(own.root, real.slice(own.point === '/' ? 0 : own.point.length));
  return mounts.flatMap(({ device, root, point }) => {
    if (device !== own.device) return [];
    if (isWithin(inside, root)) return [join(point, inside.slice(root === '/' ? 0 : root.length))];
    return isWithin(root, inside) ? [point] : [];
  });
}

interface Mount {
  device: string;
  /** The folder of its file system that is mounted. */
  root: string;
  point: string;
}

function mountsIn(mountinfo: string): Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [, , device, root, point] = line.split(' ');
    return device === undefined || root === undefined || point === undefined
      ? []
      : [{ device, root: unescape(root), point: unescape(point) }];
  });
}

/** Nothing where the system does not say. */
function mountsNow(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}

function unescape(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}
