import type { Hono } from 'hono';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import { refusal } from '../../cli/exit-codes.js';
import { loadConfig } from '../../compiler/project/config.js';
import { additionsIn } from '../../cli/follow/additions.js';
import { requestCancel } from '../../cli/follow/cancel-run.js';
import { sayIn } from '../../cli/follow/say-to.js';
import type { Wish } from '../../cli/follow/steer-run.js';
import { steer, withQuota } from '../../cli/follow/steer-run.js';
import { findRun } from '../../cli/observe/find-run.js';
import { isClosed, rootOf } from '../../cli/observe/view/view.js';
import type { Sent } from '../data/answer-fields.js';
import { createOnce } from '../data/once.js';
import { runPath, stepPath } from '../paths.js';
import type { PageEnv, Site } from '../site.js';
import { sentIn } from '../site.js';

/** Pause, resume, top up, stop, cancel, and a word to an agent: as the commands of these names do. */
export function steeringRoutes(app: Hono<PageEnv>, site: Site): void {
  const once = createOnce();
  app.post('/runs/:run/steer', async (c) => {
    const run = c.req.param('run');
    const sent = await sentIn(c);
    const of = sent['of'] ?? run;
    // A limit may be that of a run nested in this one.
    if (rootOf(of) !== run) throw refusal(`Expected a run of \`${run}\`. Nothing was done.`);
    const by = c.get('person');
    await once([run, by], sent, async () => {
      const { client } = await openRun(run, site);
      const { project } = site.session;
      // As the file says now, and not as it did when the pages were begun.
      const wish = withQuota(wishIn(sent), loadConfig(project, project.root).config);
      await steer(client, { run: of, wish, by, id: null });
    });
    return c.redirect(runPath(run), 303);
  });
  app.post('/runs/:run/say/:path{.+}', async (c) => {
    const { run, path } = c.req.param();
    const address = `${run}/${path}`;
    const by = c.get('person');
    const sent = await sentIn(c);
    await once([address, by], sent, async () => {
      await sayIn(site.session, { address, text: sent['text'] ?? '', by });
    });
    return c.redirect(stepPath(run, path), 303);
  });
  app.post('/runs/:run/cancel', async (c) => {
    const run = c.req.param('run');
    await requestCancel(run, await openRun(run, site));
    return c.redirect(runPath(run), 303);
  });
}

async function openRun(run: string, { session }: Site): Promise<TemporalLink> {
  const { view, link } = await session.patiently(() => findRun(rootOf(run), session));
  if (link === null || isClosed(view.status)) throw refusal(`The run \`${run}\` has ended: ${view.status}.`);
  return link;
}

function wishIn(sent: Sent): Wish {
  switch (sent['wish']) {
    case 'pause':
    case 'resume':
    case 'abort':
      return { kind: sent['wish'] };
    case 'budget': {
      const add = additionsIn((what) => sent[`add-${what}`] || null);
      if (Object.keys(add).length === 0) throw refusal('Expected something to add. Nothing was done.');
      return { kind: 'budget', add };
    }
    default:
      throw refusal('Expected the form to pause, resume, top up or stop. Nothing was done.');
  }
}
