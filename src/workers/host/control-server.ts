import { chmodSync, existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { CLIENT_TYPES, receive, send } from './control-protocol.js';
import type { ClientMessage, HostInfo, HostMessage, HostStatus } from './control-protocol.js';

/** How the host's start stands; what a client hears when it says hello. */
export type Standing =
  | { phase: 'starting' }
  | { phase: 'ready'; host: HostInfo }
  | { phase: 'failed'; message: string; hint: string | null; again?: true; locked?: true };

export interface ControlHandlers {
  /**
   * A command joins, with what it knows of providers. Gives whether the host serves it; one that ends does not, and the
   * command looks for the next.
   */
  onHello: (hello: ClientMessage & { type: 'hello' }) => boolean;
  onStop: () => void;
  /** Whether the host ends in favour of another build; it has begun to end when this is true. */
  onRenew: () => Promise<boolean>;
  /** Called when the number of joined commands changed. */
  onClients: (clients: number) => void;
  status: () => HostStatus;
}

/** The host's end of the control socket. */
export interface ControlServer {
  /** Tells what the host does while it starts. */
  say: (line: string) => void;
  /** Tells everybody who is joined, whenever. */
  announce: (line: string) => void;
  /** Tells everybody who joined, and whoever joins from now on. */
  stand: (standing: Standing) => void;
  clients: () => number;
  /** Listens again where its socket was removed, by whoever cleans up there: tells whether it was. */
  listenAgain: () => Promise<boolean>;
  /** Resolves when somebody has been told of a failure, or at once if anybody had joined. */
  told: () => Promise<void>;
  close: (reason: string) => Promise<void>;
}

/** Listens at a path in a private folder. Whoever holds the host's lock may remove what a dead host left there. */
export async function serveControl(path: string, handlers: ControlHandlers): Promise<ControlServer> {
  const joined = new Set<Socket>();
  const all = new Set<Socket>();
  let standing: Standing = { phase: 'starting' };
  let lastLine: string | null = null;
  const listeners: (() => void)[] = [];

  const onMessage = (socket: Socket, message: ClientMessage): void => {
    switch (message.type) {
      case 'hello':
        if (!handlers.onHello(message)) return void socket.end();
        joined.add(socket);
        handlers.onClients(joined.size);
        if (lastLine !== null && standing.phase === 'starting') send(socket, { type: 'progress', line: lastLine });
        tell(socket, standing);
        listeners.splice(0).forEach((listener) => listener());
        return;
      case 'status':
        return send(socket, { type: 'status', status: handlers.status() });
      case 'stop':
        return handlers.onStop();
      case 'renew':
        void handlers.onRenew().then((ends) => {
          if (!ends) send(socket, { type: 'kept' });
        });
        return;
    }
  };

  const onSocket = (socket: Socket): void => {
    all.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      all.delete(socket);
      if (joined.delete(socket)) handlers.onClients(joined.size);
    });
    receive<ClientMessage>(socket, CLIENT_TYPES, (message) => onMessage(socket, message));
  };
  let server = await listenAt(path, onSocket);
  let isClosed = false;

  return {
    say: (line) => {
      lastLine = line;
      if (standing.phase === 'starting') for (const socket of joined) send(socket, { type: 'progress', line });
    },
    announce: (line) => {
      for (const socket of joined) send(socket, { type: 'progress', line });
    },
    stand: (next) => {
      standing = next;
      for (const socket of joined) tell(socket, standing);
    },
    clients: () => joined.size,
    listenAgain: async () => {
      if (isClosed || existsSync(path)) return false;
      // First: its end removes whatever is at that path. Who has joined stays.
      server.close();
      server = await listenAt(path, onSocket);
      return true;
    },
    told: () => (joined.size > 0 ? Promise.resolve() : new Promise((resolve) => listeners.push(resolve))),
    close: async (reason) => {
      isClosed = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of all) {
        send(socket, { type: 'stopping', reason });
        socket.end();
      }
      setTimeout(() => all.forEach((socket) => socket.destroy()), 500).unref();
      await closed;
    },
  };
}

async function listenAt(path: string, onSocket: (socket: Socket) => void): Promise<Server> {
  rmSync(path, { force: true });
  const server = createServer(onSocket);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  chmodSync(path, 0o600);
  return server;
}

function tell(socket: Socket, standing: Standing): void {
  const message: HostMessage | null =
    standing.phase === 'starting'
      ? null
      : standing.phase === 'ready'
        ? { type: 'ready', host: standing.host }
        : {
            type: 'failed',
            message: standing.message,
            hint: standing.hint,
            ...(standing.again ? { again: true as const } : {}),
            ...(standing.locked ? { locked: true as const } : {}),
          };
  if (message !== null) send(socket, message);
}
