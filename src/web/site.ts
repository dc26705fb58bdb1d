import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import type { RunForecasts } from '../cli/forecast/run-forecasts.js';
import type { Listing } from '../cli/observe/list-runs.js';
import type { Terminal } from '../cli/terminal.js';
import type { Door } from './access/door.js';
import type { Reach } from './access/reach.js';
import type { Sent } from './data/answer-fields.js';
import type { LiveRuns } from './data/live-runs.js';
import type { LiveListing } from './data/live-listing.js';
import type { SharedSession } from './data/shared-link.js';
import type { Frame } from './views/layout.js';
import { documentText } from './views/layout.js';

/** What all pages are made of. */
export interface Site {
  session: SharedSession;
  door: Door;
  reach: Reach;
  /** Where it listens. */
  port: () => number;
  runs: LiveRuns;
  listing: LiveListing;
  forecasts: RunForecasts;
  /** What the pages were started in: programs, prices and definitions depend on it. It is told of warnings. */
  terminal: Terminal;
  /** Tells the terminal what was refused, in one line. */
  log: (line: string) => void;
}

/** What a request knows once the guards have let it in. */
export interface PageEnv {
  Variables: {
    /** The origin under which it came. */
    origin: string;
    /** Who is signed in; empty on the pages for which nobody must be. */
    person: string;
  };
}

export type PageContext = Context<PageEnv>;

/** A page without who sees it. */
export interface Page extends Omit<Frame, 'person'> {
  /** 200 by default. */
  status?: 401 | 404 | 409 | 500 | 503;
}

/** Answers with a page. */
export function sendPage(c: PageContext, site: Site, { status, ...frame }: Page, children: Child): Response {
  const person = c.get('person') ?? '';
  const waiting = { count: person === '' ? null : waitingIn(site.listing.last()) };
  return c.html(documentText({ ...frame, person: person === '' ? null : person }, waiting, children), status ?? 200);
}

/** How many things wait for people; null where nobody has looked yet. */
function waitingIn(listing: Listing | null): number | null {
  return listing === null ? null : listing.gates.length + listing.paused.length;
}

/** The fields of a form: of several with one name the last. */
export async function sentIn(c: PageContext): Promise<Sent> {
  const body = await c.req.parseBody();
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, typeof value === 'string' ? value : undefined]),
  );
}
