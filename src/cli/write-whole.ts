import { constants, copyFileSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../store/store-failure.js';
import { makeFolders } from './make-folders.js';

/**
 * Writes a file of a person's so that half of it is never seen, neither by readers nor after a full disk. Without
 * `replace` one that is there already stays, and the system's error (`EEXIST`) is thrown; so is any other one, as
 * one of writing this file.
 */
export function writeWhole(file: string, text: string, { replace = false }: { replace?: boolean } = {}): void {
  try {
    makeFolders(dirname(file));
    write(file, text, replace);
  } catch (error) {
    if (error instanceof Error) throw Object.assign(error, { path: file, syscall: 'write' });
    throw error;
  }
}

function write(file: string, text: string, replace: boolean): void {
  const beside = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(beside, text, { flag: 'wx' });
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
