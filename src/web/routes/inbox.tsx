import type { Hono } from 'hono';
import type { Listing, PausedRun } from '../../cli/observe/list-runs.js';
import { formatAge } from '../../cli/text/format.js';
import { safeLine, safeName } from '../../cli/text/safe-text.js';
import { runPath } from '../paths.js';
import type { PageEnv, Site } from '../site.js';
import { sendPage } from '../site.js';
import { GateCard, Unlisted } from '../views/gate-page.js';

/** All that waits for people, the longest waiting first. */
export function inboxRoutes(app: Hono<PageEnv>, site: Site): void {
  app.get('/inbox', async (c) =>
    sendPage(
      c,
      site,
      { title: 'Inbox', section: 'inbox', events: '/events' },
      <Inbox listing={await site.listing.read(0)} now={Date.now()} />,
    ),
  );
}

function Inbox({ listing: { gates, paused, unlisted, serverIsDown }, now }: { listing: Listing; now: number }) {
  return (
    <>
      <h1>Inbox</h1>
      <div id="inbox" data-part>
        {serverIsDown ? (
          <p class="warning">The Temporal server is not running: what open runs wait for is not known.</p>
        ) : null}
        {gates.length + paused.length === 0 ? <p class="empty">Nothing waits for you.</p> : null}
        <ul class="cards">
          {gates.map((open) => (
            <GateCard open={open} now={now} />
          ))}
          {paused.map((pause) => (
            <PauseCard pause={pause} now={now} />
          ))}
        </ul>
        {[...unlisted].map(([run, count]) => (
          <Unlisted run={run} count={count} />
        ))}
      </div>
    </>
  );
}

function PauseCard({ pause: { run, message, since, by }, now }: { pause: PausedRun; now: number }) {
  return (
    <li class="card">
      <p class="card-head">
        <span class="tone-attention">
          <span aria-hidden="true">‖</span> paused
        </span>
        <span class="quiet">
          {by === null ? '' : `by ${safeName(by)} · `}
          {formatAge(since, now)}
        </span>
      </p>
      <p class="card-title">
        <a href={runPath(run)}>{safeName(run)}</a>
      </p>
      <p class="quiet">{safeLine(message)}</p>
    </li>
  );
}
