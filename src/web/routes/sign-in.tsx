import type { Hono } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { safeName } from '../../cli/text/safe-text.js';
import type { PageContext, PageEnv, Site } from '../site.js';
import { sendPage, sentIn } from '../site.js';
import { Notice } from '../views/notice.js';
import { Typed } from '../views/typed.js';

/** Cookies know no ports: each server of a machine has its own name. */
function cookieOf(c: PageContext, site: Site): { name: string; secure: boolean } {
  const secure = c.get('origin').startsWith('https:');
  return { name: `${secure ? '__Host-' : ''}perdure-${site.port()}`, secure };
}

/** Who is signed in by the request's cookie; null for nobody. */
export function personAt(c: PageContext, site: Site): string | null {
  const session = getCookie(c, cookieOf(c, site).name);
  return session === undefined ? null : site.door.personOf(session);
}

/** Of who is not signed in no more is read. */
const MOST_TYPED = 1_000_000;

/** What somebody sees who is not signed in; what they typed before their session ended is there to be copied. */
export async function askToSignIn(c: PageContext, site: Site): Promise<Response> {
  const isForm = c.req.method === 'POST' && Number(c.req.header('content-length') ?? Infinity) <= MOST_TYPED;
  const sent = isForm ? await sentIn(c).catch(() => ({})) : {};
  return sendPage(
    c,
    site,
    { title: 'Sign in', status: 401 },
    <Notice
      title="Sign in"
      message="Open the sign-in link that the terminal shows. Each link works once; `perdure ui` prints a new one."
    >
      {/* A link on another site brings no cookie of ours along; one on this page does. */}
      <p>
        <a href={placeOf(c)}>Signed in already? Go on</a>
      </p>
      <Typed sent={sent} />
    </Notice>,
  );
}

/** The path that was asked for, on this server: one that begins with two slashes would name another. */
function placeOf(c: PageContext): string {
  return new URL(c.req.url).pathname.replace(/^\/+/, '/');
}

/** How people come in and go: by a link that works once, and whose preview uses nothing up. */
export function signInRoutes(app: Hono<PageEnv>, site: Site): void {
  app.get('/sign-in', (c) =>
    sendPage(
      c,
      site,
      { title: 'Sign in' },
      <Notice title="Sign in" message="This browser will see all runs here, and decide in your name.">
        <form method="post" action="/sign-in">
          <input type="hidden" name="token" value={c.req.query('token') ?? ''} />
          <button class="primary">Sign in</button>
        </form>
      </Notice>,
    ),
  );
  app.post('/sign-in', async (c) => {
    const { token } = await c.req.parseBody();
    const session = typeof token === 'string' ? site.door.enter(token) : null;
    if (session === null) {
      site.log('refused: a sign-in link that was used before, is too old or is not one of ours');
      return sendPage(
        c,
        site,
        { title: 'Sign in', status: 401 },
        <Notice
          title="This link is of no use"
          message="It was used before, is too old, or belongs to another server. `perdure ui` prints a new one."
        />,
      );
    }
    const { name, secure } = cookieOf(c, site);
    setCookie(c, name, session, { httpOnly: true, sameSite: 'Strict', secure, path: '/' });
    return c.redirect('/', 303);
  });
  app.get('/you', (c) => sendPage(c, site, { title: 'You' }, <You person={c.get('person')} link={null} />));
  app.post('/you/link', (c) => {
    const link = `${site.reach.publicOrigin ?? c.get('origin')}/sign-in?token=${site.door.invite(c.get('person'))}`;
    return sendPage(c, site, { title: 'You' }, <You person={c.get('person')} link={link} />);
  });
  app.post('/you/sign-out', (c) => {
    const { name, secure } = cookieOf(c, site);
    site.door.leave(getCookie(c, name) ?? '');
    deleteCookie(c, name, { path: '/', secure });
    return c.redirect('/', 303);
  });
}

function You({ person, link }: { person: string; link: string | null }) {
  return (
    <section class="notice">
      <h1>{safeName(person)}</h1>
      <p>What you decide here is decided in this name.</p>
      {link === null ? (
        <form method="post" action="/you/link">
          <button>Make a sign-in link for another device</button>
        </form>
      ) : (
        <>
          <p>This link signs one browser in as you. It works once, within an hour.</p>
          <pre class="plain" tabindex={0}>
            {link}
          </pre>
        </>
      )}
      <form method="post" action="/you/sign-out">
        <button>Sign out</button>
      </form>
    </section>
  );
}
