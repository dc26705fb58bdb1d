import { createHash } from 'node:crypto';
import { closeSync, constants, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { codeOf } from '../errors.js';

/** Something that is held by one living process at a time. */
export interface Lock {
  release: () => Promise<void>;
}

/**
 * Tries to take the lock named `purpose` on a folder, which must exist. Null when another process holds it.
 *
 * The system itself frees it when its owner dies, however it dies, so there is no stale lock and no take-over: on Linux
 * it is a listening socket in the abstract namespace, named by the user and the folder's device and number: a folder
 * that is moved takes its lock along; on macOS and the BSDs a file opened with `O_EXLOCK` in the folder. It is
 * inherited by a forked child until that child executes another program, so a lock that can be taken means that
 * whatever its owner was spawning is visible under its own command line. Abstract sockets belong to a network
 * namespace: a folder that is shared between containers must be used by one of them only.
 */
export async function takeLock(folder: string, purpose: string): Promise<Lock | null> {
  return process.platform === 'linux' ? takeSocket(socketName(folder, purpose)) : takeFile(lockFile(folder, purpose));
}

/** Tells whether somebody holds the lock now. On systems other than Linux, where asking would take it, always false. */
export async function isLocked(folder: string, purpose: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  return new Promise((resolve) => {
    const socket = createConnection({ path: socketName(folder, purpose) });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => resolve(codeOf(error) !== 'ECONNREFUSED' && codeOf(error) !== 'ENOENT'));
  });
}

function socketName(folder: string, purpose: string): string {
  const owner = process.getuid?.() ?? 0;
  const { dev, ino } = statSync(folder);
  const hash = createHash('sha256')
    .update(`${String(owner)}\0${String(dev)}\0${String(ino)}`)
    .digest('hex')
    .slice(0, 40);
  return `\0perdure-${purpose}-${hash}`;
}

function takeSocket(path: string): Promise<Lock | null> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) => (codeOf(error) === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen({ path }, () => {
      // The lock must not keep a process alive that has nothing else to do.
      server.unref();
      resolve({ release: () => new Promise((done) => server.close(() => done())) });
    });
  });
}

function lockFile(folder: string, purpose: string): string {
  return join(realpathSync(folder), `${purpose}.lock`);
}

/** `O_EXLOCK` of the BSD family: open and lock in one step. Node does not name it. */
const O_EXLOCK = 0x20;

async function takeFile(file: string): Promise<Lock | null> {
  mkdirSync(join(file, '..'), { recursive: true });
  try {
    const fd = openSync(file, constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK, 0o600);
    return { release: async () => closeSync(fd) };
  } catch (error) {
    if (codeOf(error) === 'EAGAIN' || codeOf(error) === 'EWOULDBLOCK') return null;
    throw error;
  }
}
