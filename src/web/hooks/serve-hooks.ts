import { createServer as createTlsServer } from 'node:https';
import { createAdaptorServer } from '@hono/node-server';
import { CliError, EXIT } from '../../cli/exit-codes.js';
import type { Session } from '../../cli/session.js';
import type { Terminal } from '../../cli/terminal.js';
import { tell } from '../../cli/terminal.js';
import { attributesAt } from '../../cli/submit/start-run.js';
import type { Reach } from '../access/reach.js';
import { isLoopback } from '../access/reach.js';
import { shareLink } from '../data/shared-link.js';
import { createHookApp } from './app.js';
import type { WantedHook } from './open-hooks.js';
import { openHooks } from './open-hooks.js';

/** Hooks that are listened for. */
export interface ServedHooks {
  /** The address of each, by the name of its definition. */
  addresses: Map<string, string>;
  close(): Promise<void>;
}

/**
 * Takes deliveries for webhooks (`findHooks`) until it is closed, and keeps the host meanwhile. Throws what says why it
 * cannot (exit codes 2 and 3).
 */
export async function serveHooks({
  wanted,
  session: own,
  reach,
  by,
  terminal,
}: {
  wanted: WantedHook[];
  session: Session;
  reach: Reach;
  by: string;
  terminal: Terminal;
}): Promise<ServedHooks> {
  const session = shareLink(own);
  try {
    const link = await session.connect({ start: true });
    const hooks = await openHooks(wanted, session, { by, attributes: attributesAt(link), terminal });
    const server = createAdaptorServer({
      fetch: (...args: Parameters<typeof app.fetch>) => app.fetch(...args),
      ...(reach.tls === null ? {} : { createServer: createTlsServer, serverOptions: reach.tls }),
    });
    const port = (): number => {
      const at = server.address();
      return typeof at === 'object' && at !== null ? at.port : 0;
    };
    const log = (line: string): void => tell(terminal, terminal.palette.dim(line));
    const app = createHookApp({ hooks, session, reach, port, log });
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: Error) =>
        reject(new CliError(`Cannot listen at ${reach.listen}: ${error.message}.`, EXIT.unavailable)),
      );
      server.listen(reach.port, reach.listen, () => resolve());
    });
    const local = `${reach.tls === null ? 'http' : 'https'}://${isLoopback(reach.listen) ? '127.0.0.1' : reach.listen}`;
    const origin = reach.publicOrigin ?? `${local}:${port()}`;
    return {
      addresses: new Map([...hooks.keys()].map((name) => [name, `${origin}/hooks/${name}`])),
      close: async () => {
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        if ('closeIdleConnections' in server) server.closeIdleConnections();
        await closed;
        await session.close();
      },
    };
  } catch (error) {
    await session.close();
    throw error;
  }
}
