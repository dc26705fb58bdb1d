import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { secureHeaders } from 'hono/secure-headers';
import { safeLine } from '../../cli/text/safe-text.js';
import { TOOL_HEADER } from '../../plan/tools/tool-request.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { jsonTextFault } from '../../plan/values/json-text-fault.js';
import { judgeEntrance } from '../access/guard.js';
import type { Reach } from '../access/reach.js';
import type { SharedSession } from '../data/shared-link.js';
import { deliver } from './deliver.js';
import type { Hook } from './hook.js';
import { createRate } from './hook.js';
import { verify } from './signature.js';

/** What the listener works with. */
export interface HookSite {
  hooks: ReadonlyMap<string, Hook>;
  session: SharedSession;
  reach: Reach;
  port: () => number;
  log: (line: string) => void;
}

/** What the handlers of a delivery share. */
interface HookEnv {
  Variables: { hook: Hook };
}

const LATER_S = '30';

/** Takes deliveries, and nothing else: there are no pages, no sessions and no cookies here. */
export function createHookApp(site: HookSite): Hono<HookEnv> {
  const app = new Hono<HookEnv>();
  app.onError((error, c) => {
    site.log(`failed: ${safeLine(error.message)}`);
    c.header('retry-after', LATER_S);
    return c.json({ error: 'It could not be taken now. Send it again.' }, 503);
  });
  app.notFound((c) => c.json({ error: 'There is no such hook.' }, 404));
  app.use(secureHeaders());
  app.use(async (c, next) => {
    const entrance = judgeEntrance(site.reach, site.port(), {
      host: c.req.header('host'),
      forwardedProto: c.req.header('x-forwarded-proto'),
      remote: getConnInfo(c).remote.address,
      tool: c.req.header(TOOL_HEADER),
    });
    return entrance.kind === 'refused' ? c.json({ error: entrance.why }, 421) : next();
  });
  const isWithin = createRate();
  app.post(
    '/hooks/:name',
    (c, next) => {
      const hook = site.hooks.get(c.req.param('name'));
      if (hook === undefined) return c.notFound();
      c.set('hook', hook);
      const onError = (): Response => refused(c, site, 413, 'The body is too large.');
      return bodyLimit({ maxSize: hook.webhook.max_bytes, onError })(c, next);
    },
    (c) => take(c, site, isWithin),
  );
  return app;
}

async function take(c: Context<HookEnv>, site: HookSite, isWithin: ReturnType<typeof createRate>): Promise<Response> {
  const { hook } = c.var;
  const { name, webhook, secret } = hook;
  const body = Buffer.from(await c.req.arrayBuffer());
  const found = verify(webhook.signature, { header: (key) => c.req.header(key), body }, { secret, now: Date.now() });
  if ('refusal' in found) return refused(c, site, 401, found.refusal);
  const content = parsed(body);
  if ('refusal' in content) return refused(c, site, 400, content.refusal);
  if (!isWithin(name, webhook.max_per_minute))
    return later(c, site, `${name}: more than ${webhook.max_per_minute} in a minute`);
  const event: JsonObject & { id: string } = {
    id: found.id,
    type: found.type,
    time: new Date().toISOString(),
    body: content.value,
  };
  const what = await deliver(hook, event, site.session);
  switch (what.kind) {
    case 'started':
      site.log(`${name}: started ${what.run}`);
      return c.json({ run: what.run }, 202);
    case 'duplicate':
      site.log(`${name}: came again, ${what.run}`);
      return c.json({ run: what.run, duplicate: true }, 200);
    case 'ignored':
      return c.json({ ignored: true }, 200);
    case 'full':
      return later(c, site, `${name}: ${webhook.max_open} of its runs are open`);
    case 'unfit':
      return refused(c, site, 422, what.why);
  }
}

/** The answer to what starts no run; who listens sees it too. */
function refused(c: Context<HookEnv>, site: HookSite, status: 400 | 401 | 413 | 422, why: string): Response {
  site.log(`${c.var.hook.name}: refused: ${safeLine(why)}`);
  return c.json({ error: why }, status);
}

function later(c: Context, site: HookSite, why: string): Response {
  site.log(why);
  c.header('retry-after', LATER_S);
  return c.json({ error: 'Too many. Send it again later.' }, 429);
}

function parsed(body: Buffer): { value: Json } | { refusal: string } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const value = JSON.parse(text) as Json; // JSON.parse gives nothing else
    const fault = jsonTextFault(text, value);
    return fault === null ? { value } : { refusal: `Expected JSON without ${fault}.` };
  } catch {
    return { refusal: 'Expected JSON.' };
  }
}
