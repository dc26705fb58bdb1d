import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Definitions are short; what is longer is something else. */
const MAX_BYTES = 256 * 1024;

export type FileKind = 'file' | 'folder' | 'other' | 'missing';

/** Paths where no file can be: too long, below a file, in a circle of links, or with a NUL in it. */
const NO_PATH = ['ENOENT', 'ENAMETOOLONG', 'ENOTDIR', 'ELOOP', 'ERR_INVALID_ARG_VALUE'];

/**
 * What a path is, without following a symbolic link. What is there but cannot be looked at, in a folder of somebody
 * else say, is `other`: whoever reads it is told why.
 */
export function kindOf(path: string): FileKind {
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
  try {
    const refusal = REFUSALS[lookAt(path)];
    if (refusal !== null) return { failure: refusal };
    // Not blocking and not following: between `lstat` and here a FIFO or a link may have taken the file's place.
    const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const stat = fstatSync(handle);
      if (!stat.isFile()) return { failure: REFUSALS.other };
      if (stat.size > MAX_BYTES)
        return {
          failure: `Expected a file of at most ${MAX_BYTES / 1024} KiB, got ${Math.ceil(stat.size / 1024)} KiB.`,
        };
      return decode(readFileSync(handle));
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    return { failure: `The file cannot be read (${errorCode(error)}).` };
  }
}

const REFUSALS = {
  file: null,
  folder: 'Expected a file, got a folder.',
  other: 'Expected a regular file, got a link, a pipe or a device.',
  missing: 'There is no such file.',
} as const satisfies Record<FileKind, string | null>;

function decode(bytes: Buffer): { text: string } | { failure: string } {
  if (bytes.includes(0)) return { failure: 'Expected text, got a NUL byte.' };
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

/** Names in a folder, sorted; none when it is no folder or cannot be read. */
export function listFolder(path: string): { name: string; kind: FileKind }[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .map((entry): { name: string; kind: FileKind } => ({
        name: entry.name,
        kind: entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other',
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
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

/** Folder of the package: the nearest one upwards whose `package.json` is named perdure. Never the current folder. */
export function packageRoot(): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let folder = start; ; folder = dirname(folder)) {
    const manifest = readText(join(folder, 'package.json'));
    if ('text' in manifest && /"name":\s*"perdure"/.test(manifest.text)) return folder;
    if (dirname(folder) === folder) return start;
  }
}
