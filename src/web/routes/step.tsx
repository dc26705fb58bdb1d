import type { Hono } from 'hono';
import { readable } from '../../cli/follow/readable.js';
import { levelsTo } from '../../cli/observe/place.js';
import { rootOf } from '../../cli/observe/view/view.js';
import { usageError } from '../../cli/exit-codes.js';
import { safeName } from '../../cli/text/safe-text.js';
import { loadValue } from '../../store/transcript.js';
import { readConversationPart } from '../data/conversation.js';
import { runPath } from '../paths.js';
import type { PageContext, PageEnv, Site } from '../site.js';
import { sendPage } from '../site.js';
import { StepPage } from '../views/step-page.js';

/** One step of a run: how it stands, what it yielded, and all that it wrote. */
export function stepRoutes(app: Hono<PageEnv>, site: Site): void {
  app.get('/runs/:run/steps/:path{.+}', async (c) => {
    const run = rootOf(c.req.param('run'));
    const path = c.req.param('path');
    const view = await site.runs.view(run);
    const step = levelsTo(view, path).at(-1)?.step;
    if (step === undefined || step.path !== path) throw usageError(`The run \`${run}\` has no step \`${path}\`.`);
    const { store } = site.session;
    const output = step.result?.output ?? null;
    const from = numberIn(c, 'from') ?? 0;
    const { lines, next } = await store.readLog(run, path, from);
    const hasMore = (await store.readLog(run, path, next)).lines.length > 0;
    const shown = output === null ? null : readable(await loadValue(output, store));
    const wanted = { conversation: numberIn(c, 'conversation'), said: numberIn(c, 'said') ?? 0 };
    const conversation = await readConversationPart(view, path, wanted, site.session);
    return sendPage(
      c,
      site,
      {
        title: safeName(path),
        section: 'runs',
        ...(view.endedAt === null ? { events: `${runPath(run)}/events` } : {}),
      },
      <StepPage
        run={view.run}
        step={step}
        output={shown}
        conversation={conversation}
        log={{ text: lines.map(lineText).join(''), next: hasMore ? next : null }}
        now={Date.now()}
      />,
    );
  });
}

/** A whole number from 0 in the address; null for none. */
function numberIn(c: PageContext, name: string): number | null {
  const text = c.req.query(name) ?? '';
  return /^\d{1,12}$/.test(text) ? Number(text) : null;
}

/** A note is a line of its own; the rest is as it was written. */
function lineText({ stream, text }: { stream: string; text: string }): string {
  return stream === 'note' && !text.endsWith('\n') ? `${text}\n` : text;
}
