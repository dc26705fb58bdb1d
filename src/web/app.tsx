import { getConnInfo } from '@hono/node-server/conninfo';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';
import { secureHeaders } from 'hono/secure-headers';
import { CliError, EXIT } from '../cli/exit-codes.js';
import { grpcTrouble } from '../cli/grpc.js';
import { safeLine } from '../cli/text/safe-text.js';
import { TOOL_HEADER } from '../plan/tools/tool-request.js';
import { judgeEntrance } from './access/guard.js';
import { assetRoutes } from './routes/assets.js';
import { eventRoutes } from './routes/events.js';
import { keepForeign } from './routes/foreign.js';
import { gateRoutes } from './routes/gates.js';
import { grantedRoutes } from './routes/granted.js';
import { inboxRoutes } from './routes/inbox.js';
import { rerunRoutes } from './routes/rerun.js';
import { runRoutes } from './routes/run.js';
import { runsRoutes } from './routes/runs.js';
import { steeringRoutes } from './routes/steering.js';
import { stepRoutes } from './routes/step.js';
import { askToSignIn, personAt, signInRoutes } from './routes/sign-in.js';
import type { PageContext, PageEnv, Site } from './site.js';
import { sendPage, sentIn } from './site.js';
import { Notice } from './views/notice.js';
import { Typed } from './views/typed.js';

/** An edited content may be as large as what a gate shows. */
const MOST_BYTES = 32 * 1024 * 1024;
/** What nobody must be signed in for. */
const OPEN = /^\/(?:sign-in$|assets\/|granted\/)/;

/** All pages behind their guards: who comes by another name, from another site or without a session gets nothing. */
export function createApp(site: Site): Hono<PageEnv> {
  const app = new Hono<PageEnv>();
  const keepForeignForm = keepForeign(site);
  app.onError(async (error, c) => {
    if (error instanceof HTTPException && error.status === 403) await keepForeignForm(c.req.path);
    return tellError(c, site, error);
  });
  app.notFound((c) =>
    sendPage(
      c,
      site,
      { title: 'Not found', status: 404 },
      <Notice title="Not found" message="There is no such page." />,
    ),
  );
  app.use(headers(site));
  app.use(async (c, next) => {
    const entrance = judgeEntrance(site.reach, site.port(), {
      host: c.req.header('host'),
      forwardedProto: c.req.header('x-forwarded-proto'),
      remote: getConnInfo(c).remote.address,
      tool: c.req.header(TOOL_HEADER),
    });
    if (entrance.kind === 'refused') {
      site.log(`refused: ${c.req.method} for the host ${safeLine(c.req.header('host') ?? 'none')}`);
      return c.text(entrance.why, 421);
    }
    // What serves this port next would be its.
    if (c.req.header('service-worker') !== undefined) return c.text('These pages run no service workers.', 403);
    c.set('origin', entrance.origin);
    return next();
  });
  app.use(csrf({ origin: (origin, c: PageContext) => origin === c.get('origin') }));
  app.use(bodyLimit({ maxSize: MOST_BYTES }));
  app.use(async (c, next) => {
    const person = personAt(c, site);
    if (person !== null) c.set('person', person);
    else if (!OPEN.test(c.req.path)) return askToSignIn(c, site);
    c.header('cache-control', 'no-store');
    return next();
  });
  assetRoutes(app);
  signInRoutes(app, site);
  grantedRoutes(app, site);
  inboxRoutes(app, site);
  runsRoutes(app, site);
  eventRoutes(app, site);
  runRoutes(app, site);
  steeringRoutes(app, site);
  rerunRoutes(app, site);
  stepRoutes(app, site);
  gateRoutes(app, site);
  return app;
}

/** Nothing is loaded from elsewhere, nothing stands in the page that runs, and nobody frames it. */
function headers({ reach }: Site): ReturnType<typeof secureHeaders> {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      workerSrc: ["'none'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      formAction: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
    },
    // Without a referrer browsers send no origin with forms.
    referrerPolicy: 'same-origin',
    xFrameOptions: 'DENY',
    strictTransportSecurity: reach.publicOrigin === null ? false : 'max-age=15552000',
  });
}

/** Says what went wrong as the terminal would; what is nobody's fault is logged there. */
async function tellError(c: PageContext, site: Site, error: Error): Promise<Response> {
  if (error instanceof HTTPException) {
    site.log(
      `refused: ${c.req.method} ${safeLine(c.req.path)}: ${error.status === 403 ? 'from another site' : error.message}`,
    );
    return error.getResponse();
  }
  const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : null;
  const { title, status } = kindOf(error);
  // Who hangs up while they send has nothing to be told.
  if (status === 500 && !c.req.raw.signal.aborted)
    site.log(`failed: ${c.req.method} ${safeLine(c.req.path)}: ${error.stack ?? error.message}`);
  const sent = c.req.method === 'POST' && error instanceof CliError ? await sentIn(c).catch(() => ({})) : {};
  return sendPage(
    c,
    site,
    { title, status },
    <Notice title={title} message={error.message} hint={hint}>
      <Typed sent={sent} />
      <p>
        <a href="/inbox">Inbox</a> · <a href="/runs">Runs</a>
      </p>
    </Notice>,
  );
}

function kindOf(error: Error): { title: string; status: 404 | 409 | 500 | 503 } {
  if (error instanceof CliError && error.exit === EXIT.usage) return { title: 'Not found', status: 404 };
  if (error instanceof CliError && error.exit !== EXIT.unavailable) return { title: 'Nothing was done', status: 409 };
  const isAway = error instanceof CliError || error.name === 'UnavailableError' || grpcTrouble(error) !== null;
  return isAway ? { title: 'Not reachable', status: 503 } : { title: 'That failed', status: 500 };
}
