import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** What a host serves, once it is ready. */
export interface HostInfo {
  pid: number;
  /** Of the server, `127.0.0.1:7233`. */
  address: string;
  namespace: string;
  uiUrl: string;
  taskQueue: string;
  storeId: string;
  /** Which build of Perdure the host runs; null when that is unknown. */
  build: string | null;
  /** Ids of the keys by which it encrypts, the one it writes with first. */
  keys: string[];
  /** How long each phase of the start took, in milliseconds. */
  phases: Record<string, number>;
}

/** What `server status` shows. */
export interface HostStatus extends HostInfo {
  phase: 'starting' | 'ready' | 'stopping';
  serverPid: number | null;
  clients: number;
  /** ISO 8601, UTC. */
  since: string;
  /** Times that the server was started again after it ended by itself. */
  restarts: number;
}

/** The last word of a host that ended against its will: who follows a run starts another. */
export const HOST_FAILED = 'it failed';

/** What a client says, one JSON document a line. A client that said `hello` keeps the host alive until it leaves. */
export type ClientMessage =
  | { type: 'hello'; pid: number; build: string | null; credentials: Record<string, string>; keys: string[] }
  | { type: 'status' }
  | { type: 'stop' }
  /** Asks to end in favour of another build, unless somebody else is joined or a run has work. */
  | { type: 'renew' };

/** What the host says. */
export type HostMessage =
  | { type: 'progress'; line: string }
  | { type: 'ready'; host: HostInfo }
  /** `again`: nobody knows why, and another host may come up. `locked`: it lacks a key. */
  | { type: 'failed'; message: string; hint: string | null; again?: true; locked?: true }
  | { type: 'status'; status: HostStatus }
  | { type: 'stopping'; reason: string }
  /** The answer to `renew` where the host stays. */
  | { type: 'kept' };

/** Writes one message. A peer that has gone is noticed by the socket's `close`. */
export function send(socket: Socket, message: ClientMessage | HostMessage): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** Calls back for every message that arrives. A line that is no message ends the connection. */
export function receive<T extends ClientMessage | HostMessage>(
  socket: Socket,
  types: readonly T['type'][],
  onMessage: (message: T) => void,
): void {
  const lines = createInterface({ input: socket });
  lines.on('line', (line) => {
    const message = parse(line);
    if (message !== null && types.some((type) => type === message.type))
      onMessage(message as T); // both ends are ours, in a private folder
    else socket.destroy();
  });
  // A peer that was killed resets the connection; readline repeats that error, and its `close` follows.
  lines.on('error', () => socket.destroy());
}

export const CLIENT_TYPES = ['hello', 'status', 'stop', 'renew'] as const;
export const HOST_TYPES = ['progress', 'ready', 'failed', 'status', 'stopping', 'kept'] as const;

function parse(line: string): { type: unknown } | null {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === 'object' && message !== null && 'type' in message ? message : null;
  } catch {
    return null;
  }
}
