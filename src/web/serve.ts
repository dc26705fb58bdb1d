import { createRunForecasts } from '../cli/forecast/run-forecasts.js';
import { narrateIn } from '../cli/narration/narrate-session.js';
import type { Session } from '../cli/session.js';
import type { Terminal } from '../cli/terminal.js';
import { tell } from '../cli/terminal.js';
import { createDoor } from './access/door.js';
import type { Reach } from './access/reach.js';
import { createWebServer } from './access/web-server.js';
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
  const server = createWebServer(reach, (...args) => app.fetch(...args));
  const site: Site = {
    session,
    door: createDoor(),
    reach,
    port: () => server.port(),
    runs: createLiveRuns(session, narrateIn(session, null, terminal, { hears: true })),
    listing: createLiveListing(session),
    forecasts: createRunForecasts(session, terminal.env),
    terminal,
    log: (line) => tell(terminal, terminal.palette.dim(line)),
  };
  const app = createApp(site);
  const listens = await server.open();
  const address = reach.publicOrigin ?? listens;
  return {
    address,
    listens,
    invite: (person) => `${address}/sign-in?token=${site.door.invite(person)}`,
    close: async () => {
      site.runs.close();
      await server.close('cut');
      await session.close();
    },
  };
}
