// @seconds 30
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { issueGrant, readGrant } from '../../src/activities/gates/grant.js';
import { openStore } from '../../src/store/local-store.js';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';
import type { ServedUi } from '../tools/pages.js';
import { startUi } from '../tools/pages.js';

const GATED = `name: gated
steps:
  - id: ok
    approval: "Publish?"
    content: "what <b>is</b> published"
  - id: publish
    command: [echo, "\${steps.ok.output}"]
    effect: external
`;

let project: Project;
let ui: ServedUi;
beforeAll(async () => {
  project = await openProject({ 'gated.yml': GATED });
  for (const id of ['one', 'two', 'forged', 'stale'])
    expect((await project.run('run', 'gated.yml', '--id', id, '--no-wait')).code).toBe(4);
  ui = await startUi(project, '--as', 'bo');
});
afterAll(() => project.close());

async function granted(run: string, ...args: string[]): Promise<string> {
  const done = await project.run('grant', run, '--to', 'ana', '--public-url', ui.origin, '--json', ...args);
  expect(done.code, done.stderr).toBe(0);
  return (JSON.parse(done.stdout) as { link: string }).link;
}

async function fields(link: string, more: Record<string, string> = {}): Promise<URLSearchParams> {
  const page = await (await fetch(link)).text();
  const value = (name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
  return new URLSearchParams({ hash: value('hash'), since: value('since'), decision: 'approve', ...more });
}

function post(link: string, body: URLSearchParams, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(link, { method: 'POST', body, redirect: 'manual', headers: { origin: ui.origin, ...headers } });
}

async function status(run: string): Promise<string> {
  return (JSON.parse((await project.run('show', run, '--json')).stdout) as { status: string }).status;
}

it('shows all that is decided with its hash and its bill; a preview decides nothing, a POST uses it up', async () => {
  const link = await granted('one');
  for (const method of ['GET', 'HEAD', 'GET']) expect((await fetch(link, { method })).status).toBe(200);
  const page = await (await fetch(link)).text();
  expect(page).toContain('what &lt;b&gt;is&lt;/b&gt; published');
  expect(page).toContain('<strong>publish</strong>');
  expect(page).toContain('as <strong>ana</strong>');
  expect(page).toMatch(/sha256 [0-9a-f]{64}/);
  expect(page).not.toContain('href="/inbox"');
  expect(await status('one')).toBe('waiting');
  const body = await fields(link, { comment: 'from the train' });
  expect((await post(link, body, { origin: 'https://evil.example' })).status).toBe(403);
  expect((await post(link, body)).status).toBe(303);
  await until(async () => (await status('one')) === 'success');
  expect(await (await fetch(link)).text()).toContain('There is nothing to decide by this link');
  expect((await post(link, body)).status).toBe(409);
  expect(await (await fetch(`${link}/receipt`)).text()).toBe((await project.run('receipt', 'one/ok')).stdout);
  const shown = (await project.run('show', 'one')).stdout;
  expect(shown).toContain('approved by ana: from the train');
  expect(shown).toMatch(/2 decisions refused:\n.*of `ok` by another site: .*\n.*by ana: /);
});

it('decides nothing for who is not signed in beside, and no more than it allows', async () => {
  const link = await granted('two', '--decisions', 'reject');
  expect((await fetch(`${ui.origin}/gates/two/ok`)).status).toBe(401);
  expect((await fetch(`${ui.origin}/runs/two`)).status).toBe(401);
  const page = await (await fetch(link)).text();
  expect(page).toContain('value="reject"');
  expect(page).not.toContain('value="approve"');
  const answer = await post(link, await fields(link));
  expect(answer.status).toBe(409);
  expect(await answer.text()).toContain('does not allow');
  expect(await status('two')).toBe('waiting');
  expect((await project.run('show', 'two')).stdout).toContain('1 decision refused');
});

it('forged, a link shows nothing and decides nothing; the first of what is tried is kept with the run', async () => {
  const link = await granted('forged', '--decisions', 'reject');
  const [, claims = '', signature = ''] = /\/([^/.]+)\.([^/.]+)$/.exec(link) ?? [];
  const changed = JSON.stringify({ ...readGrant(`${claims}.`), may: ['approve'] });
  const forged = `${ui.origin}/granted/${Buffer.from(changed).toString('base64url')}.${signature}`;
  const page = await fetch(forged);
  expect(page.status).toBe(404);
  expect(await page.text()).not.toContain('published');
  const body = await fields(link);
  for (let count = 0; count < 30; count++) expect((await post(forged, body)).status).toBe(404);
  expect(await status('forged')).toBe('waiting');
  expect((await project.run('show', 'forged')).stdout).toContain('20 decisions refused');
  expect(ui.told()).toContain('by a grant that is forged');
});

it('says why it is of no use once it has expired, or what it is for was asked anew', async () => {
  const link = await granted('stale');
  const store = await openStore(join(project.folder, '.perdure'));
  const claims = readGrant(link);
  if (claims === null) throw new Error('expected a grant');
  const body = await fields(link);
  for (const [more, why] of [
    [{ exp: 1 }, 'has expired at 1970'],
    [{ since: '2026-01-01T00:00:00.000Z' }, 'It shows something else now'],
    [{ hash: `sha256:${'0'.repeat(64)}` as const }, 'It shows something else now'],
  ] as const) {
    const old = `${ui.origin}/granted/${await issueGrant({ ...claims, ...more }, store)}`;
    const page = await (await fetch(old)).text();
    expect(page).toContain(why);
    expect(page).not.toContain('<button');
    expect((await post(old, body)).status).toBe(409);
  }
  expect(await status('stale')).toBe('waiting');
  expect((await project.run('show', 'stale')).stdout).toContain('3 decisions refused');
});
