import { createSocket } from 'node:dgram';
import { createConnection, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf } from '../errors.js';

/** Everything of ours listens here and nowhere else: the server has no authorisation. */
export const LOOPBACK = '127.0.0.1';

/**
 * Below where Linux and macOS take the ports of outgoing connections from: none of those can sit on the port of a
 * server that is about to be started again.
 */
const FIRST_PORT = 20_000;
const PORTS = 12_000;
const TRIES = 200;

/** A port that no other host of this machine takes while its server is down, until `release`. */
export interface PortClaim {
  port: number;
  release: () => void;
}

/**
 * Claims the wanted port when it is free and nobody else's, else one that is. A claim is the UDP port of the same
 * number: the system frees it with the process, however that ends, and it is in no server's way.
 */
export async function claimFreePort(wanted: number | null): Promise<PortClaim> {
  const first = wanted === null ? null : await claimIfFree(wanted);
  if (first !== null) return first;
  for (let tries = 0; tries < TRIES; tries++) {
    const claim = await claimIfFree(FIRST_PORT + Math.floor(Math.random() * PORTS));
    if (claim !== null) return claim;
  }
  throw new Error('The system gives no free port');
}

/** Claims a port whoever listens there; null when it is claimed by somebody else. */
export function claimPort(port: number): Promise<PortClaim | null> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    // Where UDP is not allowed at all there are no claims.
    socket.once('error', (error) => resolve(codeOf(error) === 'EADDRINUSE' ? null : { port, release: () => {} }));
    socket.bind({ port, address: LOOPBACK, exclusive: true }, () => {
      socket.unref();
      resolve({ port, release: () => socket.close() });
    });
  });
}

async function claimIfFree(port: number): Promise<PortClaim | null> {
  const claim = await claimPort(port);
  if (claim === null || (await isFree(port))) return claim;
  claim.release();
  return null;
}

/** Tells whether a port can be listened on now. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: LOOPBACK, exclusive: true }, () => probe.close(() => resolve(true)));
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
