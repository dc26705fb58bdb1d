import type { Hono } from 'hono';
import { narrationOf } from '../../plan/narration/narration.js';
import { canonicalJson } from '../../plan/values/json.js';
import { forecastOf } from '../../compiler/forecast/forecast.js';
import { priceRange } from '../../workers/forecast/price-range.js';
import { countCalls, forecastLines, rangeWords } from '../../cli/forecast/forecast-words.js';
import { runUrl } from '../../cli/follow/follow.js';
import { receiptText, receiptsOf } from '../../cli/follow/receipts.js';
import type { RunView } from '../../cli/observe/view/view.js';
import { isClosed, rootOf } from '../../cli/observe/view/view.js';
import { planSvg } from '../../cli/render/plan/plan-svg.js';
import { refusedLines } from '../../cli/render/refused-lines.js';
import { runStates } from '../../cli/render/plan/run-states.js';
import { safeName } from '../../cli/text/safe-text.js';
import { sha256 } from '../../store/hash.js';
import { isLoopback } from '../access/reach.js';
import { graphPath, runPath } from '../paths.js';
import type { PageContext, PageEnv, Site } from '../site.js';
import { sendPage } from '../site.js';
import { RunPage } from '../views/run-page.js';

/** One run, while it runs and any time later. */
export function runRoutes(app: Hono<PageEnv>, site: Site): void {
  app.get('/runs/:run', async (c) => {
    const run = rootOf(c.req.param('run'));
    const view = await site.runs.view(run);
    const sign = sha256(canonicalJson([...runStates(view)].map(([path, { text }]) => [path, text])));
    return sendPage(
      c,
      site,
      {
        title: safeName(view.name),
        section: 'runs',
        ...(view.endedAt === null ? { events: `${runPath(run)}/events` } : {}),
      },
      <RunPage
        view={view}
        expected={await expectedOf(view, site)}
        graph={graphPath(run, sign.slice(-16))}
        temporal={await temporalUrl(c, run, site)}
        narration={narrationOf(await site.session.store.readNarration(run))}
        receipts={(await receiptsOf(view, site.session.store)).length}
        refused={await refusedLines(site.session.store, run)}
        now={Date.now()}
      />,
    );
  });
  app.get('/runs/:run/receipts', async (c) => {
    const receipts = await receiptsOf(await site.runs.view(rootOf(c.req.param('run'))), site.session.store);
    return c.text(receiptText(receipts), 200);
  });
  app.get('/runs/:run/graph.svg', async (c) => {
    const view = await site.runs.view(rootOf(c.req.param('run')));
    const svg = planSvg(await site.session.store.getPlan(view.plan), runStates(view));
    return c.body(svg, 200, { 'content-type': 'image/svg+xml' });
  });
}

/** What was to be expected of a run when it began; of an open one the static range, where no past tells of it. */
async function expectedOf(
  view: RunView,
  { session: { store, config }, forecasts, terminal: { env } }: Site,
): Promise<string[]> {
  const forecast = await forecasts.ofRun(view);
  if (forecast !== null) return forecastLines(forecast);
  if (isClosed(view.status)) return [];
  const { calls } = forecastOf(await store.getPlan(view.plan), config.agents?.default ?? null);
  const range = rangeWords(priceRange(calls, config.models, env), countCalls(calls));
  return calls.length === 0 ? [] : [...forecastLines(null), range];
}

/** Where Temporal's UI shows the run; null where none is served, or where whoever looks cannot reach it. */
async function temporalUrl(c: PageContext, run: string, { session }: Site): Promise<string | null> {
  if (!session.mayKnowRuns()) return null;
  const link = await session.connect({ start: true }).catch(() => null);
  const url = link === null ? null : runUrl(link, run);
  if (url === null) return null;
  const isHere = isLoopback(new URL(c.get('origin')).hostname);
  return isLoopback(new URL(url).hostname) && !isHere ? null : url;
}
