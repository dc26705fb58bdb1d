import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { secureHeaders } from 'hono/secure-headers';
import { safeLine } from '../../cli/text/safe-text.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { jsonFault } from '../../plan/values/json-fault.js';
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

/** No hook takes more, whatever it says. */
const MOST_BYTES = 1024 * 1024;
const LATER_S = '30';

/** Takes deliveries, and nothing else: there are no pages, no sessions and no cookies here. */
export function createHookApp(site: HookSite): Hono {
  const app = new Hono();
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
    });
    return entrance.kind === 'refused' ? c.json({ error: entrance.why }, 421) : next();
  });
  const isWithin = createRate();
  app.post(
    '/hooks/:name',
    bodyLimit({ maxSize: MOST_BYTES, onError: (c) => c.json({ error: 'The body is too large.' }, 413) }),
    (c) => take(c, site, isWithin),
  );
  return app;
}

async function take(c: Context, site: HookSite, isWithin: ReturnType<typeof createRate>): Promise<Response> {
  const hook = site.hooks.get(c.req.param('name') ?? '');
  if (hook === undefined) return c.notFound();
  const { name, webhook, secret } = hook;
  const body = Buffer.from(await c.req.arrayBuffer());
  if (body.length > webhook.max_bytes) return c.json({ error: 'The body is too large.' }, 413);
  const found = verify(webhook.signature, { header: (key) => c.req.header(key), body }, { secret, now: Date.now() });
  if ('refusal' in found) {
    site.log(`${name}: refused: ${found.refusal}`);
    return c.json({ error: found.refusal }, 401);
  }
  const content = parsed(body);
  if (content === undefined) return c.json({ error: 'Expected JSON.' }, 400);
  const fault = jsonFault(content);
  if (fault !== null) return c.json({ error: `Expected JSON without ${fault}.` }, 400);
  if (!isWithin(name, webhook.max_per_minute))
    return later(c, site, `${name}: more than ${webhook.max_per_minute} in a minute`);
  const event: JsonObject & { id: string } = {
    id: found.id,
    type: found.type,
    time: new Date().toISOString(),
    body: content,
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
      site.log(`${name}: refused: ${safeLine(what.why)}`);
      return c.json({ error: what.why }, 422);
  }
}

function later(c: Context, site: HookSite, why: string): Response {
  site.log(why);
  c.header('retry-after', LATER_S);
  return c.json({ error: 'Too many. Send it again later.' }, 429);
}

function parsed(body: Buffer): Json | undefined {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as Json; // JSON.parse gives nothing else
  } catch {
    return undefined;
  }
}
