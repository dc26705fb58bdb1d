// @module-tag chromium
// @module-tag openssl
// @seconds 30
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';
import type { Certificates } from './cluster/certificates.js';
import { makeCertificates } from './cluster/certificates.js';
import type { ServedUi } from './pages.js';
import { anotherLink, openChromium, openPages, signIn, startUi, tabTo } from './pages.js';

const WAITS = `name: waits
steps:
  - id: notes
    command: [seq, "200"]
  - id: ok
    approval: "Publish these notes?"
    content: "\${steps.notes.output}"
`;
const ASKS = `name: asks
steps:
  - {id: ok, approval: "Go on?"}
`;
const LOOPS = `name: loops
steps:
  - {id: draft, command: [date, "+%s%N"]}
  - {id: ok, approval: "Good?", content: "\${steps.draft.output}", rework: draft}
`;

let project: Project;
let ui: ServedUi;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  project = await openProject({ 'waits.yml': WAITS, 'asks.yml': ASKS, 'loops.yml': LOOPS });
  expect((await project.run('run', 'waits.yml', '--id', 'waits', '--no-wait')).code).toBe(4);
  expect((await project.run('run', 'asks.yml', '--id', 'asks', '--no-wait')).code).toBe(4);
  ({ ui, browser, page } = await openPages(project));
});
afterAll(async () => {
  await browser.close();
  await project.close();
});

it('a double click decides once, and the page says what was decided', async () => {
  expect((await project.run('run', 'asks.yml', '--id', 'double', '--no-wait')).code).toBe(4);
  await page.goto(`${ui.origin}/gates/double/ok`);
  await page.getByRole('button', { name: 'Approve', exact: true }).dblclick({ delay: 5 });
  await page.getByText('is already decided').waitFor();
  expect(await page.getByRole('heading', { name: 'This gate is not open' }).count()).toBe(1);
  await until(async () => (await project.run('show', 'double')).stdout.includes('success'));
  expect((await project.run('show', 'double')).stdout).not.toContain('refused');
});

it('who hangs up while they send is no failure of the pages', async () => {
  const { port, host } = new URL(ui.origin);
  const lines = [
    ...['POST /sign-in HTTP/1.1', `Host: ${host}`, `Origin: ${ui.origin}`],
    ...['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 9', '', 'a'],
  ];
  const socket = connect(Number(port), '127.0.0.1');
  await new Promise<void>((resolve) => socket.write(lines.join('\r\n'), () => resolve()));
  await new Promise((resolve) => socket.destroy().once('close', resolve));
  const before = ui.told().length;
  await fetch(`${ui.origin}/sign-in`, { method: 'POST', headers: { origin: 'http://elsewhere.test' } });
  expect(await until(() => ui.told().slice(before) || null)).toContain('from another site');
  expect(ui.told()).not.toContain('failed');
});

/** What has the focus. */
const focused = (): Promise<unknown> => page.evaluate('document.activeElement.textContent');

it('by the keyboard alone a person signs in, finds what waits, reads it to its end and approves it', async () => {
  const link = await anotherLink(page, ui.origin);
  const context = await browser.newContext();
  const keys = await context.newPage();
  await keys.goto(link);
  await tabTo(keys, keys.getByRole('button', { name: 'Sign in', exact: true }));
  await keys.keyboard.press('Enter');
  await keys.getByRole('navigation', { name: 'Main' }).waitFor();
  await tabTo(keys, keys.getByRole('link', { name: 'Runs', exact: true }));
  await keys.keyboard.press('Enter');
  await keys.getByRole('heading', { name: 'Runs' }).waitFor();
  await tabTo(keys, keys.getByRole('link', { name: 'waits', exact: true }));
  await keys.keyboard.press('Enter');
  await keys.locator('h1', { hasText: 'waits' }).waitFor();
  await tabTo(keys, keys.getByRole('link', { name: 'Publish these notes?', exact: true }));
  await keys.keyboard.press('Enter');
  const content = keys.locator('#content pre');
  await content.waitFor();
  await tabTo(keys, content);
  await keys.keyboard.press('End');
  await expect
    .poll(() => content.evaluate((pre) => pre.scrollTop + pre.clientHeight >= pre.scrollHeight - 1))
    .toBe(true);
  await tabTo(keys, keys.getByRole('textbox', { name: 'Comment (may be empty)', exact: true }));
  await keys.keyboard.type('without a mouse');
  await tabTo(keys, keys.getByRole('button', { name: 'Approve', exact: true }));
  await keys.keyboard.press('Enter');
  await keys.getByText('already decided').waitFor();
  await tabTo(keys, keys.getByRole('link', { name: 'Follow the run', exact: true }));
  await keys.keyboard.press('Enter');
  await keys.locator('h1 .chip', { hasText: 'success' }).waitFor();
  await context.close();
  expect((await project.run('show', 'waits')).stdout).toContain('approved by ana: without a mouse');
});

it('where a page changes while it is looked at, the next key does what it would have done before', async () => {
  await page.goto(`${ui.origin}/gates/asks/ok`);
  await page.getByText('Reject…').focus();
  const before = await page.locator('.bill').innerText();
  expect((await project.run('budget', 'asks', '--add-steps', '1')).code).toBe(0);
  await expect.poll(() => page.locator('.bill').innerText()).not.toBe(before);
  expect(await focused()).toBe('Reject…');
  await page.goto(`${ui.origin}/runs/asks`);
  await page.getByText('Stop…').focus();
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Stop it with what it has', exact: true }));
  expect((await project.run('pause', 'asks')).code).toBe(0);
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  // Not that of “Resume”, which stands first.
  expect(await focused()).toBe('Stop it with what it has');
});

it('nothing takes the place of what somebody reads: they are told, and decide on what they read', async () => {
  expect((await project.run('run', 'loops.yml', '--id', 'loops', '--no-wait')).code).toBe(4);
  await page.goto(`${ui.origin}/gates/loops/ok`);
  const before = await page.locator('#content pre').innerText();
  await page.getByRole('button', { name: 'Approve', exact: true }).focus();
  expect((await project.run('reject', 'loops/ok', '--comment', 'once more')).code).toBe(0);
  await page.getByText('This has changed since you looked at it.').waitFor();
  expect(await page.locator('#content pre').innerText()).toBe(before);
  await page.keyboard.press('Enter');
  await page.getByText('Nothing was decided: look again.').waitFor();
  expect((await project.run('list', '--waiting')).stdout).toContain('loops/ok');
});

/** A proxy that ends TLS, as they do: `Host` is passed on, and how the request came is said. */
async function startProxy({ server: { certificate, key } }: Certificates, target: () => URL): Promise<Proxy> {
  const proxy = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (asked, answered) => {
    const { hostname, port } = target();
    const headers = { ...asked.headers, 'x-forwarded-proto': 'https' };
    const passed = request({ hostname, port, path: asked.url, method: asked.method, headers }, (given) => {
      answered.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answered);
    });
    passed.on('error', () => answered.destroy());
    answered.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    port: (proxy.address() as AddressInfo).port, // A server on TCP has such an address.
    close: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

interface Proxy {
  port: number;
  close: () => void;
}

async function stop({ running }: ServedUi): Promise<void> {
  running.process.kill('SIGINT');
  await running.finished;
}

it('over TLS of their own the pages sign in by a cookie that goes no other way', async () => {
  const { certificate, key } = makeCertificates(project.folder).server;
  const served = await startUi(project, '--tls-cert', certificate, '--tls-key', key);
  expect(served.origin).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const seen = await signIn(browser, served.link, { ignoreHTTPSErrors: true });
  const [cookie] = await seen.context.cookies();
  expect(cookie).toMatchObject({ secure: true, httpOnly: true, sameSite: 'Strict' });
  expect(cookie?.name).toMatch(/^__Host-perdure-/);
  await expect(fetch(served.origin.replace('https:', 'http:'))).rejects.toThrow();
  await seen.context.close();
  await stop(served);
});

it('behind a proxy that ends TLS they tell of changes and decide, and give nothing to who goes around it', async () => {
  let target = '';
  const proxy = await startProxy(makeCertificates(project.folder), () => new URL(target));
  const name = `https://runs.test:${proxy.port}`;
  const served = await startUi(project, '--public-url', name, '--trusted-proxy', '127.0.0.1', '--as', 'bo');
  target = await until(() => /The proxy finds it at (http:\/\/127\.0\.0\.1:\d+)\./.exec(served.told())?.[1]);
  expect(served.origin).toBe(name);
  const named = await openChromium('--host-resolver-rules=MAP runs.test 127.0.0.1');
  try {
    expect((await project.run('run', 'waits.yml', '--id', 'far', '--no-wait')).code).toBe(4);
    const seen = await signIn(named, served.link, { ignoreHTTPSErrors: true });
    const second = await seen.context.newPage();
    await second.goto(`${name}/runs/far`);
    await seen.page.goto(`${name}/gates/far/ok`);
    await seen.page.getByRole('button', { name: 'Approve', exact: true }).click();
    // The other page is told by events that come through the proxy.
    await second.locator('h1 .chip', { hasText: 'success' }).waitFor();
    expect((await seen.context.cookies())[0]).toMatchObject({ secure: true, domain: 'runs.test' });
    const around = (headers: Record<string, string>): Promise<number> =>
      new Promise((resolve, reject) => {
        const asked = request(`${target}/runs`, { headers: { host: new URL(name).host, ...headers } }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        asked.on('error', reject).end();
      });
    expect(await around({})).toBe(421);
    expect(await around({ 'x-forwarded-proto': 'http' })).toBe(421);
    expect(await around({ 'x-forwarded-proto': 'https' })).toBe(401);
    expect((await project.run('show', 'far')).stdout).toContain('approved by bo');
  } finally {
    await named.close();
    await stop(served);
    proxy.close();
  }
});
