import { randomInt } from 'node:crypto';
import { Agent, createServer, request as ask } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { NOT_FOR_TOOLS, TOOL_HEADER } from '../../plan/tools/tool-request.js';
import { LOOPBACK } from './ports.js';

/** What stands at the port of Temporal's Web UI, with the UI itself where no page finds it. */
export interface UiGuard {
  /** Lets people to the UI of a server, which listens at this address. False where the port is taken. */
  stand: (place: { port: number; address: string }) => Promise<boolean>;
  close: () => Promise<void>;
}

/** The header `Host` of who asks by a name of loopback; the port may be that of a tunnel. */
const OWN_NAME = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/;

/** Linux has all of 127.0.0.0/8 on its loopback. Others have one address, and nothing can stand before the UI there. */
export const hasUiGuard = process.platform === 'linux';

/** An address of loopback for one server's UI, which nobody can guess where the system has more than one. */
export function chooseUiAddress(): string {
  return hasUiGuard ? `127.${[randomInt(1, 255), randomInt(256), randomInt(1, 255)].join('.')}` : LOOPBACK;
}

/**
 * Guards the Web UI of a host's server: it is served under loopback's own names alone. It looks at no host itself, so a
 * page whose owner lets its name mean this machine (DNS rebinding) would be the UI to a browser. Nor does it look who
 * asks: a tool would decide the gate of its own agent.
 */
export function createUiGuard(): UiGuard {
  const agent = new Agent({ keepAlive: true });
  let server: Server | null = null;
  let host = LOOPBACK;
  const listen = (port: number): Promise<Server | null> =>
    new Promise((resolve) => {
      const made = createServer((request, response) => {
        if (request.headers[TOOL_HEADER] !== undefined) refuse(response, 403, NOT_FOR_TOOLS);
        else if (OWN_NAME.test(request.headers.host ?? '')) forward(request, response, { agent, host, port });
        else refuse(response, 403, 'This address is not one of its names.');
      });
      made.on('error', () => resolve(null));
      made.listen({ port, host: LOOPBACK, exclusive: true }, () => resolve(made));
    });
  return {
    stand: async ({ port, address }) => {
      if (address === LOOPBACK) return true; // The UI is at its port itself.
      host = address;
      server ??= await listen(port);
      return server !== null;
    },
    close: async () => {
      agent.destroy();
      const open = server;
      if (open === null) return;
      await new Promise<void>((resolve) => {
        open.close(() => resolve());
        open.closeAllConnections();
      });
    },
  };
}

function refuse(response: ServerResponse, status: number, why: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${why}\n`);
}

function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  to: { agent: Agent; host: string; port: number },
): void {
  const { method, url, headers } = incoming;
  const outgoing = ask({ ...to, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, response, () => undefined); // who asked has gone, or the server has: either side is closed then
  });
  // A request that is still written to after its end tells a second error: unheard, it would end the host.
  outgoing.on('error', () => {
    if (response.headersSent) response.destroy();
    else refuse(response, 502, 'The Temporal server does not answer.');
  });
  response.once('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
