// @module-tag chromium
// @seconds 60
import { request } from 'node:http';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';
import type { ServedUi } from './pages.js';
import { anotherLink, openPages, seriousFindings, signIn } from './pages.js';

const WAITS = `name: release
steps:
  - id: notes
    command: [printf, "%s", "adds the page"]
  - id: ok
    approval: "Publish these notes?"
    content: "\${steps.notes.output}"
  - id: publish
    command: [echo, "\${steps.ok.output}"]
`;
const LOOPS = `name: loops
steps:
  - id: draft
    command: [sh, "-c", "echo title; date +%s%N"]
  - id: ok
    approval: "Good?"
    content: "\${steps.draft.output}"
    rework: {step: draft, max: 5}
  - id: publish
    command: [echo, to the world]
    effect: external
`;
const PAUSES = `name: pauses
steps:
  - id: first
    ask: "Go on?"
  - id: second
    command: [echo, went on]
`;
const ASKS = `name: asks
steps:
  - id: which
    ask: "Which version?"
    schema: {type: object, required: [version, major], properties: {version: {type: string}, major: {type: boolean}}}
`;

let project: Project;
let ui: ServedUi;
let browser: Browser;
let context: BrowserContext;
let page: Page;
beforeAll(async () => {
  project = await openProject({ 'waits.yml': WAITS, 'asks.yml': ASKS, 'loops.yml': LOOPS, 'pauses.yml': PAUSES });
  for (const [file, id] of [
    ['waits', 'one'],
    ['waits', 'two'],
    ['waits', 'three'],
    ['waits', 'four'],
    ['asks', 'asks'],
    ['loops', 'loops'],
    ['pauses', 'pauses'],
  ])
    expect((await project.run('run', `${file}.yml`, '--id', id ?? '', '--detach')).code).toBe(0);
  await until(async () => (await waiting()).length === 7);
  ({ ui, browser, context, page } = await openPages(project));
});
afterAll(async () => {
  await browser.close();
  await project.close();
});

async function waiting(): Promise<unknown[]> {
  return JSON.parse((await project.run('list', '--waiting', '--json')).stdout) as unknown[];
}

interface Shown {
  status: string;
  steps: { id: string; status: string; output: unknown; decided_by?: string[]; comment?: string }[];
}

async function shown(run: string): Promise<Shown> {
  return JSON.parse((await project.run('show', run, '--json')).stdout) as Shown;
}

/** A request with the session of the browser, and whatever else another site could have it send. */
async function send(
  path: string,
  { headers = {}, body, method = 'POST' }: { headers?: Record<string, string>; body?: string; method?: string },
): Promise<{ status: number; text: string }> {
  const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const { port, host } = new URL(ui.origin);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        host: '127.0.0.1',
        path,
        method,
        headers: { host, cookie: cookies, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** What the form of a gate would send. */
async function formOf(address: string): Promise<Record<string, string>> {
  await page.goto(`${ui.origin}/gates/${address}`);
  const value = (name: string): Promise<string> => page.locator(`input[name=${name}]`).first().inputValue();
  return { hash: await value('hash'), since: await value('since'), decision: 'approve' };
}

function encoded(fields: Record<string, string>): string {
  return new URLSearchParams(fields).toString();
}

describe('a person at the pages', () => {
  it('finds a run that waits, reads what is asked, approves it, and sees it end', async () => {
    await page.goto(`${ui.origin}/runs`);
    await page.getByRole('link', { name: 'one', exact: true }).click();
    await page.getByRole('link', { name: 'Publish these notes?' }).click();
    expect(await page.locator('#content pre').innerText()).toBe('adds the page');
    await page.getByLabel('Comment').fill('go on');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('already decided').waitFor();
    await page.getByRole('link', { name: 'Follow the run' }).click();
    await page.locator('h1 .chip', { hasText: 'success' }).waitFor();
    const { steps } = await shown('one');
    expect(steps.find(({ id }) => id === 'ok')).toMatchObject({ decided_by: ['ana'], comment: 'go on' });
    expect(steps.find(({ id }) => id === 'publish')).toMatchObject({ output: 'adds the page' });
  });

  it('answers a question by the form of its schema', async () => {
    await page.goto(`${ui.origin}/gates/asks/which`);
    await page.getByLabel('version').fill('2.1.0');
    await page.getByLabel('major').selectOption('true');
    await page.getByRole('button', { name: 'Answer' }).click();
    await page.getByText('is not open').waitFor();
    await until(async () => (await shown('asks')).status === 'success');
    expect((await shown('asks')).steps[0]?.output).toEqual({ version: '2.1.0', major: true });
  });

  it('edits what is asked, and approves it only once it was shown', async () => {
    await page.goto(`${ui.origin}/gates/four/ok`);
    await page.getByText('Edit…').click();
    await page.getByLabel('Content').fill('first\nsecond');
    await page.getByRole('button', { name: 'Look at what you edited' }).click();
    expect(await page.locator('#content pre').innerText()).toBe('first\nsecond');
    const fields = Object.fromEntries(
      await Promise.all(
        ['hash', 'since', 'edited'].map(async (name) => [
          name,
          await page.locator(`input[name=${name}]`).first().inputValue(),
        ]),
      ),
    ) as Record<string, string>;
    const sneaked = encoded({ ...fields, escaped: 'no', decision: 'approve', edit: 'first\nthird' });
    expect(await send('/gates/four/ok', { body: sneaked, headers: { origin: ui.origin } })).toMatchObject({
      status: 409,
    });
    await page.getByRole('button', { name: 'Approve as edited' }).click();
    await page.getByText('already decided').waitFor();
    await until(async () => (await shown('four')).status === 'success');
    expect((await shown('four')).steps.find(({ id }) => id === 'publish')?.output).toBe('first\nsecond');
  });

  it('of two tabs one decides, and the other is told who was it', async () => {
    const other = await context.newPage();
    for (const tab of [page, other]) await tab.goto(`${ui.origin}/gates/two/ok`);
    // Without script nothing tells it before.
    const still = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
    const late = await still.newPage();
    await late.goto(`${ui.origin}/gates/two/ok`);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await other.getByText('is already decided').waitFor();
    expect(await other.getByRole('button', { name: 'Approve', exact: true }).count()).toBe(0);
    await late.getByText('Reject…').click();
    await late.getByLabel('Reason').fill('too early');
    await late.getByRole('button', { name: 'Reject' }).click();
    expect(await late.locator('main').innerText()).toMatch(/already decided|has ended: success/);
    await still.close();
    await other.close();
    expect((await shown('two')).steps.find(({ id }) => id === 'ok')).toMatchObject({ status: 'success' });
    expect((await project.run('show', 'two')).stdout).toMatch(/1 decision refused:\n.*of `ok` by ana: /);
  });
});

describe('what a gate tells beside its content', () => {
  it('is what follows, what of it leaves this machine, what it may cost, and the budget that stays', async () => {
    await page.goto(`${ui.origin}/gates/loops/ok`);
    const bill = await page.locator('.bill').innerText();
    expect(bill).toMatch(/Changes the world outside\s+publish command echo to the world/);
    expect(bill).toMatch(/May cost\s+nothing: no model is asked/);
    expect(bill).toMatch(/Budget that stays\s+\d\d steps/);
    expect(bill).toContain('1 step can begin');
    await page.goto(`${ui.origin}/gates/three/ok`);
    expect(await page.locator('.bill').innerText()).toMatch(/outside\s+nothing that its author marks so/);
  });

  it('is what has changed since it was rejected', async () => {
    await page.goto(`${ui.origin}/gates/loops/ok`);
    expect(await page.locator('.changes').count()).toBe(0);
    const before = await page.locator('#content pre').innerText();
    await page.getByText('Reject…').click();
    await page.getByLabel('Reason').fill('another number');
    await page.getByRole('button', { name: 'Reject' }).click();
    await until(async () => {
      await page.goto(`${ui.origin}/gates/loops/ok`);
      return (await page.locator('.changes').count()) === 1 ? true : undefined;
    });
    expect(await page.locator('.line.removed').innerText()).toContain(before.split('\n')[1]);
    expect(await page.locator('.line.added').count()).toBe(1);
    expect(await page.locator('.line.same').count()).toBeGreaterThan(0);
  });
});

describe('an open run', () => {
  it('is paused, goes on, is given more steps, and is cancelled', async () => {
    await page.goto(`${ui.origin}/runs/pauses`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.locator('h1 .chip', { hasText: 'paused' }).waitFor();
    expect((await shown('pauses')).status).toBe('paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.locator('h1 .chip', { hasText: 'waiting' }).waitFor();
    await page.getByText('Budget…').click();
    await page.getByLabel('steps that act').fill('7');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('of 107 steps').waitFor();
    await page.getByText('Stop…').click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('h1 .chip', { hasText: 'cancelled' }).waitFor();
    expect((await shown('pauses')).status).toBe('cancelled');
  });

  it('has a page for each step, with its output and what it wrote', async () => {
    await page.goto(`${ui.origin}/runs/one`);
    await page.getByRole('link', { name: '0 notes' }).click();
    expect(await page.locator('main').innerText()).toMatch(/Output[\s\S]*adds the page[\s\S]*Log[\s\S]*adds the page/);
    const none = await page.goto(`${ui.origin}/runs/one/steps/none`);
    expect(none?.status()).toBe(404);
  });
});

describe('what is not decided on', () => {
  it('is a form from another site', async () => {
    const body = encoded(await formOf('three/ok'));
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      {},
    ] as Record<string, string>[])
      expect((await send('/gates/three/ok', { body, headers })).status).toBe(403);
    const plain = { origin: 'https://evil.example', 'content-type': 'text/plain' };
    expect((await send('/gates/three/ok', { body, headers: plain })).status).toBe(403);
    expect(ui.told()).toContain('refused: POST /gates/three/ok: from another site');
  });

  it('is a form that a page of another site sends in a browser', async () => {
    const fields = await formOf('three/ok');
    const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
    const evil = await context.newPage();
    await evil.route('http://evil.example/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<form method="post" action="${ui.origin}/gates/three/ok">${inputs.join('')}<button>go</button></form>`,
      }),
    );
    await evil.goto('http://evil.example/');
    const answered = evil.waitForResponse((response) => response.url().endsWith('/gates/three/ok'));
    await evil.getByRole('button').click();
    expect((await answered).status()).toBe(403);
    await evil.close();
  });

  it('is a request by another name of this machine', async () => {
    const { port } = new URL(ui.origin);
    const body = encoded(await formOf('three/ok'));
    for (const host of [`rebound.example:${port}`, `127.0.0.1.evil.example:${port}`, '127.0.0.1', `0.0.0.0:${port}`]) {
      const headers = { host, origin: `http://${host}` };
      expect((await send('/gates/three/ok', { body, headers })).status).toBe(421);
      expect((await send('/runs', { method: 'GET', headers })).status).toBe(421);
    }
  });

  it('is another content, another gate, or one that was asked at another time', async () => {
    const fields = await formOf('three/ok');
    const other = `sha256:${'0'.repeat(64)}`;
    for (const wrong of [{ hash: other }, { hash: '' }, { since: '2026-01-01T00:00:00.000Z' }, { decision: 'maybe' }]) {
      const body = encoded({ ...fields, ...wrong });
      const answer = await send('/gates/three/ok', { body, headers: { origin: ui.origin } });
      expect(answer).toMatchObject({
        status: 409,
        text: expect.stringMatching(/Nothing was (?:decided|done)/) as string,
      });
    }
    const elsewhere = await send('/gates/three/publish', { body: encoded(fields), headers: { origin: ui.origin } });
    expect(elsewhere.status).toBe(409);
    expect((await send('/gates/none/ok', { body: encoded(fields), headers: { origin: ui.origin } })).status).toBe(404);
  });

  it('is what nobody signed in has sent', async () => {
    const body = encoded(await formOf('three/ok'));
    const headers = { cookie: '', origin: ui.origin };
    expect((await send('/gates/three/ok', { body, headers })).status).toBe(401);
    for (const path of ['/runs', '/inbox', '/runs/three', '/gates/three/ok', '/events', '/you'])
      expect((await send(path, { method: 'GET', headers })).status).toBe(401);
    // What the page leads on to is a place of ours, also where a path would name another server.
    for (const path of ['//evil.example/login', '///evil.example'])
      expect((await send(path, { method: 'GET', headers })).text).toMatch(/href="\/evil\.example/);
  });

  it('is what an old link opens, and to look at a link uses nothing up', async () => {
    const token = new URL(ui.link).searchParams.get('token') ?? '';
    const sent = { body: encoded({ token }), headers: { cookie: '', origin: ui.origin } };
    expect((await send('/sign-in', sent)).status).toBe(401);
    expect(ui.told()).toContain('refused: a sign-in link');
    const fresh = await anotherLink(page, ui.origin);
    expect((await send(fresh.slice(ui.origin.length), { method: 'GET', headers: { cookie: '' } })).status).toBe(200);
    const phone = await signIn(browser, fresh, { viewport: { width: 360, height: 740 } });
    await phone.context.close();
  });

  it('is nothing at all: the gate is still open, and its link opens nothing of another run', async () => {
    expect((await shown('three')).status).toBe('waiting');
    expect((await waiting()).length).toBe(2);
  });

  it('is kept with its run, and shown on its page', async () => {
    const kept = (await project.run('logs', 'three')).stdout;
    expect(kept.match(/of `ok` by another site: /g)).toHaveLength(6);
    expect(kept.match(/of `ok` by ana: Gate `ok` shows other content/g)).toHaveLength(2);
    expect(kept.match(/of `ok` by ana: Gate `ok` was asked anew/g)).toHaveLength(1);
    await page.goto(`${ui.origin}/runs/three`);
    expect(await page.locator('#run-refused').innerText()).toMatch(/^\d+ decisions refused, the last 5 here/);
  });
});

describe('how the pages are made', () => {
  /** The page that a person sees who is not signed in; it is looked at, and not used. */
  let granted = '';
  beforeAll(async () => {
    const args = ['three', '--to', 'bo', '--public-url', ui.origin, '--json'];
    const { link } = JSON.parse((await project.run('grant', ...args)).stdout) as { link: string };
    granted = new URL(link).pathname;
  });
  const paths = (): string[] => [
    granted,
    `${granted}x`,
    '/runs',
    '/inbox',
    '/runs/one',
    '/runs/three',
    '/gates/three/ok',
    '/gates/loops/ok',
    '/runs/one/steps/notes',
    '/runs/one/rerun',
    '/you',
    '/none',
  ];

  it.each(['light', 'dark'] as const)('is fit for everybody, as far as axe can tell, in %s', async (colorScheme) => {
    const link = await anotherLink(page, ui.origin);
    const seen = await signIn(browser, link, { bypassCSP: true, colorScheme });
    for (const path of paths()) {
      await seen.page.goto(`${ui.origin}${path}`);
      expect({ path, found: await seriousFindings(seen.page) }).toEqual({ path, found: [] });
    }
    await seen.context.close();
  });

  it.each([360, 768, 1440])('fits into %d pixels', async (width) => {
    const link = await anotherLink(page, ui.origin);
    const seen = await signIn(browser, link, { viewport: { width, height: 800 } });
    for (const path of paths()) {
      await seen.page.goto(`${ui.origin}${path}`);
      const wide = await seen.page.evaluate('document.documentElement.scrollWidth');
      expect({ path, wide: Number(wide) <= width }).toEqual({ path, wide: true });
    }
    await seen.context.close();
  });

  it('loads nothing from elsewhere and runs nothing that stands in a page', async () => {
    const response = await page.goto(`${ui.origin}/runs`);
    const headers = response?.headers() ?? {};
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; worker-src 'none'; style-src 'self'; img-src 'self'; " +
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(headers['cache-control']).toBe('no-store');
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  });
});
