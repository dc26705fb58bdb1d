import {
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../store/store-failure.js';
import { makeFolders } from './make-folders.js';

/**
 * Writes a file of a person's so that half of it is never seen, neither by readers nor after a full disk. Without
 * `replace` one that is there already stays, and the system's error (`EEXIST`) is thrown; so is any other one, as
 * one of writing this file. `mode` are its rights, where they are not the usual ones.
 */
export function writeWhole(
  file: string,
  text: string | Buffer,
  { replace = false, mode }: { replace?: boolean; mode?: number } = {},
): void {
  try {
    makeFolders(dirname(file));
    write(file, text, { replace, mode });
  } catch (error) {
    throw notWritten(error, file);
  }
}

/**
 * Writes a file that a person has named, over what is there: a file that a link leads to is replaced, and not the link,
 * and to a pipe or a device it is written. Throws as `writeWhole` does.
 */
export function writeOver(file: string, text: string): void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there === undefined) return writeWhole(file, text, { replace: true });
  if (there.isFile()) return writeWhole(realpathSync(file), text, { replace: true, mode: there.mode });
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw notWritten(error, file);
  }
}

/** A system's error as one of writing a file, which it often does not name; `hint` says how to go on. */
export function notWritten(error: unknown, file: string, hint?: string): unknown {
  if (!(error instanceof Error) || errorCode(error) === null) return error;
  return Object.assign(error, { path: file, syscall: 'write', ...(hint === undefined ? {} : { hint }) });
}

function write(
  file: string,
  text: string | Buffer,
  { replace, mode }: { replace: boolean; mode: number | undefined },
): void {
  const beside = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(beside, text, { flag: 'wx', mode });
    // The person's mask is for new files.
    if (mode !== undefined) chmodSync(beside, mode & 0o7777);
    if (replace) renameSync(beside, file);
    else place(beside, file);
  } finally {
    rmSync(beside, { force: true });
  }
}

/** Not every file system has hard links. */
function place(beside: string, file: string): void {
  try {
    linkSync(beside, file);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].includes(errorCode(error) ?? '')) throw error;
    copyFileSync(beside, file, constants.COPYFILE_EXCL);
  }
}
