import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Definitions are short; what is longer is something else. */
const MAX_BYTES = 256 * 1024;

export type FileKind = 'file' | 'folder' | 'other' | 'missing';

/** What is read in place of the disk while something is looked at: texts in an editor that nobody has saved. */
export interface Overlay {
  /** Texts by absolute path, as if the files held them. */
  texts: ReadonlyMap<string, string>;
  /** Told of every path that is looked at. */
  looked?: (path: string) => void;
}

let overlay: Overlay | null = null;

/** Does some work that reads files, with other texts in place of what some files hold. The work waits for nothing. */
export function withOverlay<T>(over: Overlay, work: () => T): T {
  const before = overlay;
  overlay = over;
  try {
    return work();
  } finally {
    overlay = before;
  }
}

/** Paths where no file can be: too long, below a file, in a circle of links, or with a NUL in it. */
const NO_PATH = ['ENOENT', 'ENAMETOOLONG', 'ENOTDIR', 'ELOOP', 'ERR_INVALID_ARG_VALUE'];

/**
 * What a path is, without following a symbolic link. What is there but cannot be looked at, in a folder of somebody
 * else say, is `other`: whoever reads it is told why.
 */
export function kindOf(path: string): FileKind {
  overlay?.looked?.(path);
  if (overlay?.texts.has(path)) return 'file';
  try {
    return lookAt(path);
  } catch (error) {
    return NO_PATH.includes(errorCode(error)) ? 'missing' : 'other';
  }
}

function lookAt(path: string): FileKind {
  const stat = lstatSync(path, { throwIfNoEntry: false, bigint: false });
  if (stat === undefined) return 'missing';
  if (stat.isFile()) return 'file';
  return stat.isDirectory() ? 'folder' : 'other';
}

/**
 * Reads a definition's text: regular files only, at most 256 KiB, UTF-8 without NUL. The failure is a sentence about
 * the file and never holds any of its content.
 */
export function readText(path: string): { text: string } | { failure: string } {
  overlay?.looked?.(path);
  const unsaved = overlay?.texts.get(path);
  if (unsaved !== undefined) return asFile(unsaved);
  const read = readBytes(path, MAX_BYTES);
  return 'failure' in read ? read : decode(read.bytes);
}

/** A text as it is read once it is saved. */
function asFile(text: string): { text: string } | { failure: string } {
  // No character takes more than three bytes for each of its units.
  const bytes = text.length * 3 <= MAX_BYTES ? 0 : Buffer.byteLength(text);
  if (bytes > MAX_BYTES) return { failure: tooLong(bytes) };
  if (text.includes('\0')) return { failure: NUL };
  return { text: text.startsWith('\uFEFF') ? text.slice(1) : text };
}

/** Reads a regular file of at most so many bytes. The failure is a sentence about the file. */
export function readBytes(path: string, most: number): { bytes: Buffer } | { failure: string } {
  try {
    const kind = lookAt(path);
    const listed = kind === 'folder' ? listDisk(path) : null;
    if (listed !== null && 'failure' in listed) return listed;
    const refusal = REFUSALS[kind];
    if (refusal !== null) return { failure: refusal };
    // Not blocking and not following: between `lstat` and here a FIFO or a link may have taken the file's place.
    const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const stat = fstatSync(handle);
      if (!stat.isFile()) return { failure: REFUSALS.other };
      if (stat.size > most) return { failure: tooLong(stat.size, most) };
      return { bytes: readFileSync(handle) };
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    return { failure: `The file cannot be read (${errorCode(error)}).` };
  }
}

function tooLong(bytes: number, most = MAX_BYTES): string {
  return `Expected a file of at most ${most / 1024} KiB, got ${Math.ceil(bytes / 1024)} KiB.`;
}

const NUL = 'Expected text, got a NUL byte.';

const REFUSALS = {
  file: null,
  folder: 'Expected a file, got a folder.',
  other: 'Expected a regular file, got a link, a pipe or a device.',
  missing: 'There is no such file.',
} as const satisfies Record<FileKind, string | null>;

function decode(bytes: Buffer): { text: string } | { failure: string } {
  if (bytes.includes(0)) return { failure: NUL };
  try {
    // The decoder drops a byte order mark, as positions must.
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { failure: 'Expected UTF-8 text, got other bytes.' };
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

interface Entry {
  name: string;
  kind: FileKind;
}

/**
 * Names in a folder, sorted; none when it is no folder. The failure, of one that cannot be read, is a sentence about
 * the folder.
 */
export function readFolder(path: string): { entries: Entry[] } | { failure: string } {
  const read = listDisk(path);
  return 'failure' in read ? read : { entries: withUnsaved(path, read.entries) };
}

/** Names in a folder, sorted; none when it is no folder or cannot be read (`readFolder`). */
export function listFolder(path: string): Entry[] {
  const read = listDisk(path);
  return withUnsaved(path, 'failure' in read ? [] : read.entries);
}

function withUnsaved(path: string, listed: Entry[]): Entry[] {
  const entries = new Map(listed.map((entry) => [entry.name, entry]));
  for (const unsaved of overlay?.texts.keys() ?? [])
    if (dirname(unsaved) === path) entries.set(basename(unsaved), { name: basename(unsaved), kind: 'file' });
  return [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function listDisk(path: string): { entries: Entry[] } | { failure: string } {
  overlay?.looked?.(path);
  try {
    const entries = readdirSync(path, { withFileTypes: true }).map((entry): Entry => ({
      name: entry.name,
      kind: entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other',
    }));
    return { entries };
  } catch (error) {
    const code = errorCode(error);
    return NO_PATH.includes(code)
      ? { entries: [] }
      : { failure: `The folder cannot be read (${code}), nor what is in it.` };
  }
}

/** The real path of a file, by whatever path it is reached; the path itself when it does not exist. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Those of some absolute paths that lie below a folder, from there, each once. */
export function pathsInside(paths: string[], folder: string): string[] {
  const inside = paths.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1));
  return [...new Set(inside)];
}

/** Folder of the package: the nearest one upwards whose `package.json` is named perdure. Never the current folder. */
export function packageRoot(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start; ; folder = dirname(folder)) {
    const manifest = readText(join(folder, 'package.json'));
    if ('text' in manifest && /"name":\s*"perdure"/.test(manifest.text)) return folder;
    if (dirname(folder) === folder) return start;
  }
}
