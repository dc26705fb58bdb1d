// @seconds 60
import { execFileSync } from 'node:child_process';
import { createHmac, hash } from 'node:crypto';
import { request } from 'node:http';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runIdOf } from '../../src/plan/run-id.js';
import { openStore } from '../../src/store/local-store.js';
import type { Project, Running } from '../faults/project.js';
import { kill, openProject, until } from '../faults/project.js';

const SECRET = `whsec_${Buffer.from('a secret of this test').toString('base64')}`;
const GITHUB = 'another secret of this test';
const CI = `name: ci
on:
  webhook:
    signature: standard
    secret: \${env.HOOK_SECRET}
    when: "\${event.body.status == 'failed'}"
    inputs: {job: "\${event.body.job}", note: "\${event.body.note}"}
    max_kb: 2
inputs: {job: {type: string}, note: {type: string, default: none}}
steps:
  - command: [echo, "\${job}: \${note}"]
`;
const ISSUE = `name: issue
on:
  webhook:
    signature: github
    secret: \${env.GITHUB_SECRET}
    inputs: {title: "\${event.body.title}", kind: "\${event.type}"}
inputs: {title: {type: string}, kind: {type: string}}
steps:
  - command: [echo, "\${kind} \${title}"]
`;
const SLOW = `name: slow
on:
  webhook: {signature: standard, secret: "\${env.HOOK_SECRET}", max_open: 2}
steps:
  - wait: 1h
`;
const RARE = `name: rare
on:
  webhook: {signature: standard, secret: "\${env.HOOK_SECRET}", max_per_minute: 2}
steps:
  - command: ["true"]
`;
const BURST = SLOW.replace('slow', 'burst').replace('max_open: 2', 'max_open: 3, max_per_minute: 1000');
const SHARED = BURST.replace('burst', 'shared');
const LOST = SLOW.replace('slow', 'lost');
const ENV = { HOOK_SECRET: SECRET, GITHUB_SECRET: GITHUB };

interface Answer {
  status: number;
  body: { run?: string; duplicate?: boolean; ignored?: boolean; error?: string };
}

let project: Project;
let listening: Running;
let origin: string;
/** What the listener has told whoever looks at it. */
let told = '';

async function listen(): Promise<void> {
  listening = project.start('listen');
  listening.process.stderr?.on('data', (chunk: Buffer) => (told += chunk.toString()));
  origin = await originOf(listening);
}

function originOf({ process, finished }: Running): Promise<string> {
  return new Promise((resolve, reject) => {
    let told = '';
    process.stdout?.on('data', (chunk: Buffer) => {
      told += chunk.toString();
      const found = /^(http:\/\/[^/]+)\/hooks\/ci$/m.exec(told)?.[1];
      if (found !== undefined) resolve(found);
    });
    void finished.then(({ stderr }) => reject(new Error(stderr)));
  });
}

beforeAll(async () => {
  const files = Object.entries({
    ci: CI,
    issue: ISSUE,
    slow: SLOW,
    burst: BURST,
    shared: SHARED,
    lost: LOST,
    rare: RARE,
  });
  project = await openProject(
    Object.fromEntries(files.map(([name, text]) => [`definitions/workflows/${name}.yml`, text])),
    ENV,
  );
  await listen();
});
afterAll(async () => {
  listening.process.kill('SIGKILL');
  await project.close();
});

function post(name: string, body: string, headers: Record<string, string>, to = origin): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // A connection of its own: one that was kept may be closed by the listener in the moment it is used again.
    const sent = request(`${to}/hooks/${name}`, { method: 'POST', headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      // Our own answers are JSON.
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as Answer['body'] }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
function signed(id: string, body: string, at = Date.now(), secret = SECRET): Record<string, string> {
  const time = String(Math.floor(at / 1000));
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': `v1,bm9uZQ== v1,${signature}` };
}
const failed = (job: string, more = {}): string => JSON.stringify({ status: 'failed', job, ...more });
const send = (id: string, body: string, name = 'ci', to = origin): Promise<Answer> =>
  post(name, body, signed(id, body), to);
const github = (body: string, id: string, secret = GITHUB): Promise<Answer> =>
  post('issue', body, {
    'x-github-event': 'issues',
    'x-github-delivery': id,
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  });
const runs = async (): Promise<{ run: string; definition: string; status: string }[]> =>
  JSON.parse((await project.run('list', '--json')).stdout) as { run: string; definition: string; status: string }[];
const output = async (run: string): Promise<unknown> => {
  // What was answered for is begun in a moment, by a host that is there.
  await until(async () => (await project.run('show', run)).code === 0);
  await project.run('watch', run);
  return (JSON.parse((await project.run('show', run, '--json')).stdout) as { output: unknown }).output;
};

it('starts one run for a delivery that comes three times at once, and again after everything was killed', async () => {
  const body = failed('build');
  const answers = await Promise.all([send('d-1', body), send('d-1', body), send('d-1', body)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 202]);
  const [run] = new Set(answers.map(({ body: { run: named } }) => named));
  expect(run).toMatch(/^ci-[a-z2-7]{8}$/);
  expect(await output(run ?? '')).toBe('build: none');
  const { host, server } = await project.pids();
  for (const pid of [host, server, listening.process.pid]) if (pid != null) kill(pid);
  await listen();
  expect(await send('d-1', body)).toEqual({ status: 200, body: { run, duplicate: true } });
  await expect
    .poll(async () => (await runs()).filter(({ definition }) => definition === 'ci'))
    .toMatchObject([{ run, status: 'success' }]);
});

it('begins every run that it has answered for, also where the host is killed in that moment', async () => {
  const answer = await send('d-2', failed('deploy', { note: 'at night' }));
  const { host, server } = await project.pids();
  for (const pid of [host, server]) if (pid !== null) kill(pid);
  expect(answer.status).toBe(202);
  expect((await project.run('server', 'start')).code).toBe(0);
  expect(await output(answer.body.run ?? '')).toBe('deploy: at night');
  // The listener finds the host again by itself. What was answered with a failure may have been taken all the same.
  const after = await until(async () => (await send('d-3', failed('after'))).body.run);
  expect(await output(after)).toBe('after: none');
});

it('starts nothing for what is forged, changed, old, or comes by another name', async () => {
  const before = (await runs()).length;
  const body = failed('forged');
  const statuses = [
    post('ci', body, {}),
    post('ci', body, signed('f-1', body, Date.now(), `whsec_${Buffer.from('guessed').toString('base64')}`)),
    post('ci', failed('changed'), signed('f-2', body)),
    post('ci', body, { ...signed('f-3', body), 'webhook-id': 'f-4' }),
    post('ci', body, signed('f-5', body, Date.now() - 600_000)),
    post('ci', body, { ...signed('f-6', body), 'webhook-signature': 'v1,' }),
    github('{"title": "x", "n": 1}', 'g-1', 'guessed secret'),
  ];
  expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual(statuses.map(() => 401));
  expect((await post('ci', body, { ...signed('f-7', body), host: 'elsewhere.example' })).status).toBe(421);
  expect((await post('none', body, signed('f-8', body))).status).toBe(404);
  expect(await runs()).toHaveLength(before);
});

it('knows a delivery of GitHub by its body, which is what GitHub signs', async () => {
  const body = JSON.stringify({ title: '$(touch x); ${job}', at: 'now' });
  const first = await github(body, 'g-2');
  expect(first.status).toBe(202);
  expect(await github(body, 'g-3')).toEqual({ status: 200, body: { run: first.body.run, duplicate: true } });
  expect(await output(first.body.run ?? '')).toBe('issues $(touch x); ${job}');
});

it('passes by what the filter does not want, and refuses what no run could be given', async () => {
  const before = (await runs()).length;
  expect(await send('u-1', '{"status": "passed", "job": "x"}')).toEqual({ status: 200, body: { ignored: true } });
  expect(await send('u-2', failed('x').replace('"x"', '5'))).toMatchObject({
    status: 422,
    body: { error: 'Expected the input `job` of `ci` to be a text, got `5`.' },
  });
  expect((await send('u-3', '{"status": "failed"}')).status).toBe(422);
  expect((await send('u-4', 'status=failed')).status).toBe(400);
  // None could be kept as it is: the sender is told so, and does not send it for ever.
  expect((await send('u-7', `{"status": "failed", "job": "x", "n": 1e400}`)).status).toBe(400);
  expect(await send('u-9', '{"status": "failed", "job": "x", "job": "y"}')).toEqual({
    status: 400,
    body: { error: 'Expected JSON without a key that is written twice, such as `job`.' },
  });
  expect((await send('u-8', `{"a": ${'['.repeat(501)}${']'.repeat(501)}}`)).body.error).toMatch(/more than 500 levels/);
  expect((await send('u-5', failed('x'.repeat(2048)))).status).toBe(413);
  expect((await send('u-6', failed('x'.repeat(2 * 1024 * 1024)))).status).toBe(413);
  expect(await runs()).toHaveLength(before);
  // Whoever listens sees why nothing began.
  const seen = (): Record<string, number> =>
    Object.fromEntries(
      ['got `5`', 'Expected JSON.', 'more than 500 levels', 'too large'].map((why) => [
        why,
        told.split('\n').filter((line) => line.includes('ci: refused: ') && line.includes(why)).length,
      ]),
    );
  await expect.poll(seen).toEqual({ 'got `5`': 1, 'Expected JSON.': 1, 'more than 500 levels': 1, 'too large': 2 });
});

it('takes no more than may be open, and more when those have ended', async () => {
  expect((await send('s-1', '{}', 'slow')).status).toBe(202);
  expect((await send('s-2', '{}', 'slow')).status).toBe(202);
  const open = async (): Promise<string[]> =>
    (await runs())
      .filter(({ definition, status }) => definition === 'slow' && status === 'running')
      .map(({ run }) => run);
  await expect.poll(open).toHaveLength(2);
  expect((await send('s-3', '{}', 'slow')).status).toBe(429);
  for (const run of await open()) await project.run('cancel', run);
  await expect.poll(async () => (await send('s-4', '{}', 'slow')).status).toBe(202);
});

it('takes no more than may be open of those that come at once', async () => {
  const statuses = async (...ids: string[]): Promise<number[]> =>
    (await Promise.all(ids.map((id) => send(id, '{}', 'burst')))).map(({ status }) => status).sort();
  expect(await statuses('b-1', 'b-2', 'b-3', 'b-4', 'b-5', 'b-6')).toEqual([202, 202, 202, 429, 429, 429]);
  const begun = await until(async () => {
    const open = (await runs()).filter(({ definition, status }) => definition === 'burst' && status === 'running');
    return open.length === 3 && open;
  });
  // One that has ended makes room for one, however many come.
  expect((await project.run('cancel', begun[0]?.run ?? '')).code).toBe(0);
  await until(async () => (await send('b-7', '{}', 'burst')).status === 202);
  expect(await statuses('b-8', 'b-9')).toEqual([429, 429]);
});

it('takes no more than may be open of those that come to two listeners at once, also where one is killed', async () => {
  const other = project.start('listen');
  const origins = [origin, await originOf(other)];
  const deliver = (ids: string[]): Promise<Answer[]> =>
    Promise.all(ids.map((id, index) => send(id, '{}', 'shared', origins[index % origins.length])));
  const answers = await deliver(['t-1', 't-2', 't-3', 't-4', 't-5', 't-6', 't-7', 't-8']);
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 202, 429, 429, 429, 429, 429]);
  const { body } = answers.find(({ status }) => status === 202) ?? {};
  await until(async () => (await project.run('cancel', body?.run ?? '')).code === 0);
  kill(other.process.pid ?? 0);
  await until(async () => (await send('t-9', '{}', 'shared')).status === 202);
  expect((await send('t-10', '{}', 'shared')).status).toBe(429);
});

it('frees a place that a lost listener took for what never began, and none for what may still begin', async () => {
  const store = await openStore(join(project.folder, '.perdure'));
  for (const [starter, agoMs] of [
    ['start/new', 0],
    ['start/old', 61_000],
  ] as const) {
    const at = new Date(Date.now() - agoMs).toISOString();
    expect((await store.takeHookPlace('lost/..', { starter, at, most: 2, ended: [] })).isTaken).toBe(true);
  }
  expect((await send('l-1', '{}', 'lost')).status).toBe(202);
  expect((await send('l-2', '{}', 'lost')).status).toBe(429);
});

it('starts a run for each project that a delivery is posted to, of those with one store, and none twice', async () => {
  const state = { PERDURE_STATE_DIR: join(project.folder, '.perdure') };
  const theirs = CI.replace('"${job}: ${note}"', '"theirs: ${job}"').replace('max_kb: 2', 'max_open: 1');
  const other = await openProject({ 'definitions/workflows/ci.yml': theirs }, { ...ENV, ...state });
  const listener = other.start('listen');
  try {
    const there = await originOf(listener);
    const both = [origin, there, origin, there];
    const answers = await Promise.all(both.map((to) => send('p-1', failed('both'), 'ci', to)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 202, 202]);
    const [mine, their, ...again] = answers.map(({ body }) => body.run ?? '');
    expect(again).toEqual([mine, their]);
    expect([await output(mine ?? ''), await output(their ?? '')]).toEqual(['both: none', 'theirs: both']);
    for (const [index, to] of both.entries())
      expect(await send('p-1', failed('both'), 'ci', to)).toEqual({
        status: 200,
        body: { run: index % 2 === 0 ? mine : their, duplicate: true },
      });
  } finally {
    kill(listener.process.pid ?? 0);
    await other.close();
  }
});

it('knows what was delivered before projects were told apart', async () => {
  const store = await openStore(join(project.folder, '.perdure'));
  const starter = (id: string): string => `start/${store.id}/ci/${hash('sha256', id).slice(0, 32)}`;
  const runOf = (id: string): string => runIdOf('ci', hash('sha256', starter(id), 'buffer'));
  const { run: recent } = (await send('o-1', failed('recent'))).body;
  expect(await output(recent ?? '')).toBe('recent: none');
  const record = await store.readRun(recent ?? '');
  if (record === null) throw new Error('Expected a record of a run that has ended.');
  await store.writeRun({ ...record, run: runOf('o-2') });
  const { ports } = JSON.parse(await project.read('.perdure/host.json')) as { ports: { grpc: number } };
  const connection = await Connection.connect({ address: `127.0.0.1:${ports.grpc}` });
  try {
    const { workflow } = new Client({ connection });
    await workflow.start('perdureStart', { workflowId: starter('o-3'), taskQueue: 'nobody', args: [] });
  } finally {
    await connection.close();
  }
  for (const id of ['o-2', 'o-3'])
    expect(await send(id, failed('old'))).toEqual({ status: 200, body: { run: runOf(id), duplicate: true } });
});

it('takes no more than may come in a minute', async () => {
  const answers = await Promise.all(['m-1', 'm-2', 'm-3'].map((id) => send(id, '{}', 'rare')));
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 429]);
});

it('writes its secrets nowhere', () => {
  const found = (secret: string): string => {
    try {
      return execFileSync('grep', ['-rl', '--', secret, '.perdure'], { cwd: project.folder, encoding: 'utf8' });
    } catch {
      return '';
    }
  };
  expect([found(SECRET), found(GITHUB)]).toEqual(['', '']);
});

it('says what is missing before it listens', async () => {
  const without = await openProject({ 'definitions/workflows/ci.yml': CI });
  try {
    expect(await without.run('listen')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Expected the variable `HOOK_SECRET` to hold the secret') as string,
    });
  } finally {
    await without.close();
  }
});

it.each(['p=ssword of many characters', '!!!!!!!!!!!!!!!!!!!!!!!!!!!!', 'whsec_c2hvcnQ='])(
  'listens with no secret that makes a key which anybody can guess: %s',
  async (secret) => {
    const weak = await openProject({ 'definitions/workflows/ci.yml': CI }, { ...ENV, HOOK_SECRET: secret });
    const listener = weak.start('listen');
    try {
      expect(await listener.finished).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('at least 16 bytes in base 64') as string,
      });
    } finally {
      listener.process.kill('SIGTERM');
      await weak.close();
    }
  },
);
