import { createConnection, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Everything of ours listens here and nowhere else: the server has no authorisation. */
export const LOOPBACK = '127.0.0.1';

/** The wanted port when it is free, else one that the system chooses. */
export async function freePort(wanted: number | null): Promise<number> {
  return (wanted === null ? null : await tryPort(wanted)) ?? (await tryPort(0)) ?? Promise.reject(new Error('The system gives no free port'));
}

/** Whether a port can be listened on now. */
export async function isFree(port: number): Promise<boolean> {
  return (await tryPort(port)) !== null;
}

function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(null));
    probe.listen({ port, host: LOOPBACK, exclusive: true }, () => {
      // A listening TCP server's address is never a string or null.
      const { port: got } = probe.address() as AddressInfo;
      probe.close(() => resolve(got));
    });
  });
}

/** Resolves when something accepts connections on a loopback port. Rejects with the signal's reason. */
export async function waitForPort(port: number, signal: AbortSignal): Promise<void> {
  while (!(await accepts(port))) await pause(15, undefined, { signal });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: LOOPBACK });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
