import { constants, lstatSync, readlinkSync, statSync } from 'node:fs';
import { access, open, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { realOf } from '../../store/folders/places.js';
import { makeEach } from '../../store/folders/root.js';
import { requireOwn } from '../../store/identity.js';
import { codeOf, messageOf, UnavailableError } from '../errors.js';
import { requireFiles } from '../processes/file-limit.js';

/** Below this many free bytes the server is not started: SQLite would fail in the middle of its work. */
export const FREE_BYTES = 32 * 1024 * 1024;

const HEADER = 'SQLite format 3\0';
/** A database is more than one file. */
const SUFFIXES = ['', '-wal', '-shm', '-journal'];

/** The server's database in a state folder. */
export function databaseFile(stateDir: string): string {
  return join(stateDir, 'temporal.db');
}

/**
 * What stands in the place of a state folder is told of before anything needs the folder. Throws an UnavailableError.
 */
export function requireFolder(stateDir: string): void {
  const found = statSync(stateDir, { throwIfNoEntry: false });
  if (found === undefined) return requireNoLostLink(stateDir);
  if (found.isDirectory()) return;
  throw new UnavailableError(
    `Expected a folder at \`${stateDir}\`, got something else.`,
    'It is where runs are kept. Move what is there away, or set PERDURE_STATE_DIR to another folder.',
  );
}

/** A link that leads nowhere is to a disk that is not mounted, say: it has runs, and is not to be made. */
function requireNoLostLink(stateDir: string): void {
  if (lstatSync(stateDir, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  throw new UnavailableError(
    `The state folder \`${stateDir}\` leads to \`${readlinkSync(stateDir)}\`, which is not there.`,
    'Mount its disk or make that folder, or set PERDURE_STATE_DIR to another one.',
  );
}

/**
 * A project in its own state folder would have its files among those of the store, and agents would work on both.
 * Throws an UnavailableError.
 */
export function requireApart({ root, stateDir }: { root: string; stateDir: string }): void {
  const [project, state] = [realOf(root), realOf(stateDir)];
  if (project !== state && !project.startsWith(`${state}/`)) return;
  throw new UnavailableError(
    `Expected the state folder to lie beside or below the project, got \`${stateDir}\`, which ` +
      `${project === state ? 'is' : 'holds'} \`${root}\`.`,
    'Set PERDURE_STATE_DIR to a folder of its own.',
  );
}

/**
 * Makes the state folder and what the host keeps in it. Throws an UnavailableError where it cannot be written, and a
 * `StoreFailure` where it is another user's.
 */
export async function prepareStateDir(stateDir: string): Promise<void> {
  const hint = 'Make the folder writable, or set PERDURE_STATE_DIR to another one.';
  requireFolder(stateDir);
  requireOwn(stateDir);
  requireFiles();
  try {
    makeEach(join(stateDir, 'logs'));
    await access(stateDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new UnavailableError(`The state folder \`${stateDir}\` cannot be written: ${messageOf(error)}`, hint);
  }
}

/**
 * Checks a database before a server opens it, because the server would say less or fall back. One whose making was cut
 * short by a crash is no database yet, and is set aside: gives where it is then. Throws an UnavailableError when it is
 * read-only, no database, or the disk is full.
 */
export async function checkDatabase(stateDir: string): Promise<string | null> {
  const file = databaseFile(stateDir);
  await checkSpace(stateDir);
  const aside = await setUnmadeAside(stateDir);
  const found = await stat(file).catch(() => null);
  if (found === null) return aside;
  if (!found.isFile())
    throw new UnavailableError(`Expected the server's database \`${file}\` to be a file.`, 'Move it away.');
  // Root may write whatever the mode says, but a file without any write permission was meant to stay as it is.
  if ((found.mode & 0o222) === 0 || !(await isWritable(file))) {
    throw new UnavailableError(
      `The server's database \`${file}\` is read-only.`,
      `Make it writable: chmod u+w ${file}`,
    );
  }
  if (found.size > 0 && (await headOf(file)) !== HEADER) throw corrupt(file);
  return aside;
}

/**
 * To be called right before a server starts, which makes its database where there is none: what is there before
 * `databaseIsMade` is not whole. Tells whether it has to make one.
 */
export async function beginDatabase(stateDir: string): Promise<boolean> {
  if (await exists(databaseFile(stateDir))) return false;
  await writeFile(makingMark(stateDir), '');
  return true;
}

/** Takes back what `beginDatabase` began, once the server that was to make it has ended. */
export async function removeUnmade(stateDir: string): Promise<void> {
  for (const suffix of SUFFIXES) await rm(`${databaseFile(stateDir)}${suffix}`, { force: true });
  await databaseIsMade(stateDir);
}

/** What is copied by hard links (`cp -al`) is one file: two servers would write it. Throws an UnavailableError. */
export function requireUnlinked(stateDir: string): void {
  const file = databaseFile(stateDir);
  if ((statSync(file, { throwIfNoEntry: false })?.nlink ?? 1) <= 1) return;
  throw new UnavailableError(
    `The server's database \`${file}\` is in another folder too, by a hard link.`,
    'Copy the state folder anew, without links: cp -a',
  );
}

/** To be called when a server is healthy: from now on the database is whole. */
export async function databaseIsMade(stateDir: string): Promise<void> {
  await rm(makingMark(stateDir), { force: true });
}

/** What a server that ended at its start said, for people. */
export function databaseError(said: string, stateDir: string): UnavailableError | null {
  const file = databaseFile(stateDir);
  if (/database or disk is full|no space left/i.test(said)) return diskFull(stateDir);
  if (/readonly database|read-only file system/i.test(said))
    return new UnavailableError(`The server's database \`${file}\` is read-only.`, 'Make it writable.');
  if (/not a database|malformed|no such table|file is encrypted/i.test(said)) return corrupt(file);
  if (/database is locked/i.test(said))
    return new UnavailableError(`The server's database \`${file}\` is locked by another program.`, 'End that program.');
  return null;
}

function corrupt(file: string): UnavailableError {
  return new UnavailableError(
    `The server's database \`${file}\` is corrupt.`,
    `Restore it from a copy, or move it and its -wal and -shm files away to start with an empty one; closed ` +
      `runs stay under ${join(file, '..', 'runs')}.`,
  );
}

async function checkSpace(stateDir: string): Promise<void> {
  const { bavail, bsize } = await statfs(stateDir);
  if (bavail * bsize < FREE_BYTES) throw diskFull(stateDir);
}

/** There is too little room for a server: it passes. */
export class DiskFullError extends UnavailableError {}

/** Says that it is the disk, and what helps. */
export function diskFull(stateDir: string): UnavailableError {
  return new DiskFullError(
    `The disk of the state folder \`${stateDir}\` is full.`,
    'Free at least 32 MB, or set PERDURE_STATE_DIR to a folder on another disk.',
  );
}

/** Lies beside the database from before the server makes it until the server is healthy. */
function makingMark(stateDir: string): string {
  return `${databaseFile(stateDir)}.making`;
}

/** Nothing that may hold runs is removed: a person may have brought it back since the server was killed. */
async function setUnmadeAside(stateDir: string): Promise<string | null> {
  const file = databaseFile(stateDir);
  const mark = await stat(makingMark(stateDir)).catch(() => null);
  if (mark === null) return null;
  const aside = `${file}.unmade-${new Date().toISOString().replace(/[-:Z]/g, '')}`;
  let isAside = false;
  // The database itself last: one that is alone loses what its log has, and a log that is alone is removed.
  for (const suffix of SUFFIXES.toReversed()) {
    const found = await stat(`${file}${suffix}`).catch(() => null);
    // A copy keeps its time: what was written before is not what that server has made. Each by itself, since a database
    // that was brought back would be overwritten by the log that the server has left beside it.
    if (found === null || found.mtimeMs < mark.mtimeMs) continue;
    await rename(`${file}${suffix}`, `${aside}${suffix}`);
    isAside = true;
  }
  await databaseIsMade(stateDir);
  return isAside ? aside : null;
}

async function headOf(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { buffer } = await handle.read(Buffer.alloc(HEADER.length), 0, HEADER.length, 0);
    return buffer.toString('latin1');
  } finally {
    await handle.close();
  }
}

async function isWritable(file: string): Promise<boolean> {
  return access(file, constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    (error: unknown) => codeOf(error) !== 'ENOENT',
  );
}
