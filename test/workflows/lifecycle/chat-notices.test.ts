import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openGrant, tokenIn } from '../../../src/activities/gates/grant.js';
import type { NotifySettings } from '../../../src/plan/gates/notice.js';
import type { RunSettings } from '../../../src/plan/run-input.js';
import { until } from '../../faults/project.js';
import { literal } from '../../plan/helpers/build-blocks.js';
import { commandStep, needs, plan } from '../../plan/helpers/build-plan.js';
import type { People } from '../helpers/gate-setting.js';
import { approval, createPeople } from '../helpers/gate-setting.js';
import type { Harness } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';

const KEY = randomBytes(24);
const PAGES = 'https://runs.example.com';
const HOSTILE = 'Publish? <!channel> [click](https://evil.example) *all* \u202e&amp;';

interface Posted {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

let harness: Harness;
let people: People;
let origin: string;
let posted: Posted[] = [];
/** How often the next posts are not taken. */
let refusals = 0;
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    posted.push({ path: request.url ?? '', headers: request.headers, body });
    refusals -= 1;
    response.writeHead(refusals >= 0 ? 503 : 200).end('ok');
  });
});
beforeAll(async () => {
  harness = await openHarness({ HOOK_SECRET: `whsec_${KEY.toString('base64')}`, SHORT: 'whsec_YQ==' });
  people = createPeople(harness);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await harness.close();
});
beforeEach(() => {
  posted = [];
  refusals = 0;
});

/** A run that waits, and what was posted of it. */
async function told(notify: Omit<NotifySettings, 'on'>, count: number, more: Partial<RunSettings> = {}) {
  const asked = approval(0, { id: 'ok', message: literal(HOSTILE), content: literal('x') });
  const made = plan([asked, commandStep(1, ['true'], { id: 'publish', needs: needs(0), effect: 'external' })]);
  const handle = await harness.start(made, { settings: { notify: { on: ['waiting'], ...notify }, ...more } });
  await until(() => posted.length >= count);
  return { handle, gate: await people.gate(handle.workflowId) };
}

it('what is posted is signed per Standard Webhooks, with one id for all tries', async () => {
  refusals = 1;
  const { handle } = await told({ webhook: origin, secret: '${env.HOOK_SECRET}' }, 2);
  for (const { headers, body } of posted) {
    const [id, timestamp] = [headers['webhook-id'], headers['webhook-timestamp']].map(String);
    const signature = createHmac('sha256', KEY).update(`${id}.${timestamp}.${body}`).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signature}`);
    expect(Math.abs(Date.now() / 1000 - Number(timestamp))).toBeLessThan(300);
  }
  expect(new Set(posted.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(JSON.parse(posted[0]?.body ?? '')).toMatchObject({ follows: { steps: 1, external: ['publish'] } });
  expect(posted[0]?.body).not.toContain('/granted/');
  await people.say(handle.workflowId, 'ana');
  expect(await handle.result()).toMatchObject({ status: 'success' });
});

it('a secret that is none, or is not there, is told in the log, and holds no run up', async () => {
  for (const name of ['SHORT', 'NOT_THERE']) {
    const { handle } = await told({ webhook: origin, secret: `\${env.${name}}` }, 0);
    await until(async () =>
      (await harness.store.readLog(handle.workflowId, '.notify', 0)).lines.some(({ text }) => text.includes(name)),
    );
    await people.say(handle.workflowId, 'ana');
    expect(await handle.result()).toMatchObject({ status: 'success' });
  }
  expect(posted).toEqual([]);
});

it('Slack gets blocks of plain text, with a button that leads to the page of a grant', async () => {
  const { gate } = await told({ slack: origin, links: true }, 1, { pages: PAGES });
  const text = posted.map(({ body }) => body).join('');
  const { blocks, ...message } = JSON.parse(text) as { text: string; blocks: object[] };
  expect(message.text).not.toMatch(/<!|evil/);
  expect([...blocks.slice(0, 2), blocks.at(-1)]).toMatchObject([
    { type: 'header', text: { type: 'plain_text' } },
    { type: 'section', text: { type: 'plain_text', text: expect.stringContaining('\\u{202e}') as string } },
    { type: 'actions', elements: [{ type: 'button', url: expect.stringContaining(`${PAGES}/granted/`) as string }] },
  ]);
  expect(text).toContain(gate.hash.replace(':', ' '));
  expect(text).toContain('Then 1 step can begin; outside changes: publish.');
  const grant = await openGrant(tokenIn(/https:[^"]*\/granted\/[^"]*/.exec(text)?.[0] ?? ''), harness.store);
  expect(grant).toMatchObject({ hash: gate.hash, to: 'slack', may: ['approve', 'reject'], since: gate.since });
});

it('Teams gets an Adaptive Card of plain runs of text, with the page where it has no grants', async () => {
  const { handle } = await told({ teams: origin }, 1, { pages: PAGES });
  const { attachments } = JSON.parse(posted[0]?.body ?? '') as {
    attachments: {
      contentType: string;
      content: {
        type: string;
        body: { type: string; inlines: { type: string; text: string }[] }[];
        actions: { type: string; url: string }[];
      };
    }[];
  };
  expect(attachments[0]?.contentType).toBe('application/vnd.microsoft.card.adaptive');
  const { body = [], actions } = attachments[0]?.content ?? {};
  expect(new Set(body.map(({ type }) => type))).toEqual(new Set(['RichTextBlock']));
  expect(body.some(({ inlines }) => inlines[0]?.text.includes('[click](https://evil.example)'))).toBe(true);
  expect(actions).toEqual([
    { type: 'Action.OpenUrl', title: 'Look at it', url: `${PAGES}/gates/${handle.workflowId}/ok` },
  ]);
});

it('a grant in a notice decides its gate once, and names no one who may not decide', async () => {
  const asked = approval(0, {
    rules: { approvers: { kind: 'literal', value: ['ana', 'tester'] }, not_submitter: true },
  });
  const handle = await harness.start(plan([asked]), {
    settings: { notify: { on: ['waiting'], webhook: origin, links: true }, pages: PAGES },
  });
  await until(() => posted.length >= 1);
  const { links } = JSON.parse(posted[0]?.body ?? '') as { links: { to: string; url: string }[] };
  expect(links.map(({ to }) => to)).toEqual(['ana']);
  const grant = links[0]?.url.slice(`${PAGES}/granted/`.length) ?? '';
  await people.say(handle.workflowId, 'ana', { grant });
  expect(await handle.result()).toMatchObject({ status: 'success' });
  expect(JSON.stringify(await handle.fetchHistory())).not.toContain(links[0]?.url);
});
