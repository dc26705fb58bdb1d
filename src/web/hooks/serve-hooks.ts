import type { Session } from '../../cli/session.js';
import type { Terminal } from '../../cli/terminal.js';
import { tell } from '../../cli/terminal.js';
import { attributesAt } from '../../cli/submit/start-run.js';
import type { Reach } from '../access/reach.js';
import { createWebServer } from '../access/web-server.js';
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
    const server = createWebServer(reach, (...args) => app.fetch(...args));
    const log = (line: string): void => tell(terminal, terminal.palette.dim(line));
    const app = createHookApp({ hooks, session, reach, port: () => server.port(), log });
    const listens = await server.open();
    const origin = reach.publicOrigin ?? listens;
    return {
      addresses: new Map([...hooks.keys()].map((name) => [name, `${origin}/hooks/${name}`])),
      close: async () => {
        await server.close('finish');
        await session.close();
      },
    };
  } catch (error) {
    await session.close();
    throw error;
  }
}
