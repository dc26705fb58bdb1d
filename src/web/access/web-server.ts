import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:https';
import type { Server } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { CliError, EXIT } from '../../cli/exit-codes.js';
import type { Reach } from './reach.js';
import { hostOf } from './reach.js';

/** A web server at the address that people chose for it. */
export interface WebServer {
  /** The port that it has; 0 before it is open. */
  port(): number;
  /** Begins to listen, and gives the URL of its address. Throws what says why it cannot (exit code 3). */
  open(): Promise<string>;
  /**
   * Ends it: requests that are under way are cut, or finished. Of the latter, one that is not whole after some seconds
   * is cut too: whoever sends it would keep the server.
   */
  close(underWay: 'cut' | 'finish'): Promise<void>;
}

const WHOLE_MS = 5_000;

type Fetch = Parameters<typeof createAdaptorServer>[0]['fetch'];

/** A server that answers by `fetch`, with TLS where `reach` has it. It is not open yet. */
export function createWebServer(reach: Reach, fetch: Fetch): WebServer {
  const server = createAdaptorServer({
    fetch,
    ...(reach.tls === null ? {} : { createServer: createTlsServer, serverOptions: reach.tls }),
  });
  const unanswered = new Map<IncomingMessage, Promise<void>>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const answered = new Promise<void>((resolve) => response.once('finish', resolve).once('close', resolve));
    unanswered.set(request, answered);
    void answered.then(() => unanswered.delete(request));
  });
  /** What is there as a whole is answered: nobody sends it again who was cut off. */
  const cutHalves = async (): Promise<void> => {
    await Promise.all([...unanswered].flatMap(([request, answered]) => (request.complete ? [answered] : [])));
    if ('closeAllConnections' in server) server.closeAllConnections();
  };
  const port = (): number => {
    const at = server.address();
    return typeof at === 'object' && at !== null ? at.port : 0;
  };
  return {
    port,
    async open() {
      await listenAt(server, reach);
      return `${reach.tls === null ? 'http' : 'https'}://${hostOf(reach.listen)}:${port()}`;
    },
    async close(underWay) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      if (underWay === 'cut' && 'closeAllConnections' in server) server.closeAllConnections();
      if (underWay === 'finish' && 'closeIdleConnections' in server) server.closeIdleConnections();
      const late = setTimeout(() => void cutHalves(), WHOLE_MS);
      await closed;
      clearTimeout(late);
    },
  };
}

/** Throws, before anything is made or started, what says why nothing can listen there now (exit code 3). */
export async function requireFree(reach: Reach): Promise<void> {
  const server = createServer();
  await listenAt(server, reach);
  await new Promise<void>((resolve) => server.close(() => resolve()));
}

function listenAt(server: Pick<Server, 'once' | 'listen'>, { listen, port }: Reach): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: Error) =>
      reject(new CliError(`Cannot listen at ${listen}: ${error.message}.`, EXIT.unavailable)),
    );
    server.listen(port, listen, () => resolve());
  });
}
