import { createHash } from 'node:crypto';
import { closeSync, constants, mkdirSync, openSync } from 'node:fs';
import type { Server } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '../../../store/store-failure.js';
import { stepFailure } from '../../failures.js';
import { temporaryPlace } from '../../../store/folders/temporary.js';

/** The right to open a port, held by this process and by every program that it hands `inherit` to. */
export interface PortLock {
  /** A descriptor for the program that opens the port: while that lives the lock is taken, whatever becomes of us. */
  inherit: number;
  release(): void;
}

const AGAIN_MS = 50;
/** Between two looks for programs of dead workers, which hold what nobody will release. */
const FENCE_MS = 500;

/**
 * Waits until nobody on this machine has the port open through us, and takes it. The kernel keeps the lock, and frees
 * it with the last process that holds it: a tool whose worker was killed keeps it until it is dead itself, so that a
 * port is never open twice. On Linux it is a listening socket in the abstract namespace, elsewhere a file opened with
 * `O_EXLOCK`; both pass to children. `fence` kills what dead workers left. Throws `device-busy` after `limitMs`.
 */
export async function lockPort(
  identity: string,
  { signal, limitMs, fence }: { signal: AbortSignal; limitMs: number; fence: () => Promise<void> },
): Promise<PortLock> {
  const name = `perdure-port-${createHash('sha256').update(identity).digest('hex').slice(0, 40)}`;
  const started = performance.now();
  let fenced = 0;
  for (;;) {
    signal.throwIfAborted();
    const lock = process.platform === 'linux' ? await takeSocket(`\0${name}`) : takeFile(name);
    if (lock !== null) return lock;
    const waited = performance.now() - started;
    if (waited > limitMs)
      throw stepFailure(
        'device-busy',
        `Another program on this machine has had the port \`${identity}\` for ${Math.round(waited / 1000)} s.`,
      );
    if (waited >= fenced) {
      fenced = waited + FENCE_MS;
      await fence();
    }
    await pause(AGAIN_MS, undefined, { signal });
  }
}

function takeSocket(path: string): Promise<PortLock | null> {
  return new Promise((resolve, reject) => {
    const server: Server = createServer((socket) => socket.destroy());
    server.once('error', (error) => (errorCode(error) === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen({ path }, () => {
      server.unref();
      resolve({ inherit: descriptorOf(server), release: () => server.close() });
    });
  });
}

/** Node shows the descriptor of a server in this one place only, and its types do not. */
function descriptorOf(server: Server): number {
  const { _handle } = server as Server & { _handle?: { fd?: number } };
  if (typeof _handle?.fd !== 'number' || _handle.fd < 0)
    throw new Error('Expected the descriptor of the listening socket that locks a port.');
  return _handle.fd;
}

/** `O_EXLOCK` of the BSD family: open and lock in one step. Node does not name it. */
const O_EXLOCK = 0x20;

function takeFile(name: string): PortLock | null {
  const folder = join(temporaryPlace(), 'perdure-ports');
  mkdirSync(folder, { recursive: true, mode: 0o1777 });
  try {
    const fd = openSync(
      join(folder, name),
      constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK,
      0o666,
    );
    return { inherit: fd, release: () => closeSync(fd) };
  } catch (error) {
    if (errorCode(error) === 'EAGAIN' || errorCode(error) === 'EWOULDBLOCK') return null;
    throw error;
  }
}
