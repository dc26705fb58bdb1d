import type { Hono } from 'hono';
import { rootOf } from '../../cli/observe/view.js';
import { safeName } from '../../cli/text/safe-text.js';
import { runPath } from '../paths.js';
import type { PageEnv, Site } from '../site.js';
import { sendPage } from '../site.js';
import { RunPage } from '../views/run-page.js';

/** One run, while it runs and any time later. */
export function runRoutes(app: Hono<PageEnv>, site: Site): void {
  app.get('/runs/:run', async (c) => {
    const run = rootOf(c.req.param('run'));
    const view = await site.runs.view(run);
    return sendPage(
      c,
      site,
      { title: safeName(view.name), section: 'runs', ...(view.endedAt === null ? { events: `${runPath(run)}/events` } : {}) },
      <RunPage view={view} now={Date.now()} />,
    );
  });
}
