import { createServer as createTlsServer } from 'node:https';
import { createAdaptorServer } from '@hono/node-server';
import { CliError, EXIT } from '../cli/exit-codes.js';
import { createRunForecasts } from '../cli/forecast/run-forecasts.js';
import { narrateIn } from '../cli/narration/narrate-session.js';
import type { Session } from '../cli/session.js';
import type { Terminal } from '../cli/terminal.js';
import { tell } from '../cli/terminal.js';
import { createDoor } from './access/door.js';
import type { Reach } from './access/reach.js';
import { isLoopback } from './access/reach.js';
import { createApp } from './app.js';
import { createLiveListing } from './data/live-listing.js';
import { createLiveRuns } from './data/live-runs.js';
import { shareLink } from './data/shared-link.js';
import type { Site } from './site.js';

export interface ServeOptions {
  session: Session;
  reach: Reach;
  /** Is told what is refused and what fails. */
  terminal: Terminal;
}

/** Pages that are served. */
export interface ServedPages {
  /** Where people reach them: the public name, else this machine's. */
  address: string;
  /** Where it listens on this machine, for a proxy. */
  listens: string;
  /** A link by which a person signs in once. */
  invite(person: string): string;
  close(): Promise<void>;
}

/** Serves the pages until they are closed. Throws what says why it cannot listen there (exit code 3). */
export async function servePages({ session: own, reach, terminal }: ServeOptions): Promise<ServedPages> {
  const session = shareLink(own);
  const server = createAdaptorServer({
    fetch: (...args: Parameters<ReturnType<typeof createApp>['fetch']>) => app.fetch(...args),
    ...(reach.tls === null ? {} : { createServer: createTlsServer, serverOptions: reach.tls }),
  });
  const port = (): number => {
    const at = server.address();
    return typeof at === 'object' && at !== null ? at.port : 0;
  };
  const site: Site = {
    session,
    door: createDoor(),
    reach,
    port,
    runs: createLiveRuns(session, narrateIn(session, null, terminal, { hears: true })),
    listing: createLiveListing(session),
    forecasts: createRunForecasts(session, terminal.env),
    terminal,
    log: (line) => tell(terminal, terminal.palette.dim(line)),
  };
  const app = createApp(site);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: Error) =>
      reject(new CliError(`Cannot listen at ${reach.listen}: ${error.message}.`, EXIT.unavailable)),
    );
    server.listen(reach.port, reach.listen, () => resolve());
  });
  const scheme = reach.tls === null ? 'http' : 'https';
  const listens = `${scheme}://${hostOf(reach.listen)}:${port()}`;
  const address = reach.publicOrigin ?? listens;
  return {
    address,
    listens,
    invite: (person) => `${address}/sign-in?token=${site.door.invite(person)}`,
    close: async () => {
      site.runs.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
      await session.close();
    },
  };
}

/** An IP address as it stands in a URL. */
function hostOf(listen: string): string {
  if (isLoopback(listen) && listen !== '::1') return '127.0.0.1';
  return listen.includes(':') ? `[${listen}]` : listen;
}
