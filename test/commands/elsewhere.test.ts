// @seconds 20
import { existsSync } from 'node:fs';
import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import { openStore } from '../../src/store/local-store.js';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project, Running } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';

const LONG = 'Say what the greeting is, in one word. '.repeat(40);
const TEAM = `name: team
inputs:
  note: {type: string, required: true}
steps:
  - id: read
    command: [cat, greeting.txt]
  - id: big
    command: [printf, "%s and %s", "\${steps.read.output}", "\${note}"]
  - id: ask
    agent: general-purpose
    prompt: "${LONG}\${steps.big.output}"
  - id: ok
    approval: "Keep it?"
    content: "\${steps.big.output}"
output: "\${steps.ask.output}: \${steps.ok.output}"
`;
const NOTE = 'a note that is too big for history, '.repeat(60);

const SAME = 'name: same\nsteps:\n  - command: [echo, done]\n';

let server: Project;
let remote: Project;
let laptop: Project;
let other: Project;
let endpoint: ModelEndpoint;
const running: Running[] = [];

/** Its minute is never the one in which the tests run. */
const YEARLY = `name: yearly
schedule: {cron: "@yearly", overlap: allow_all, inputs: {due: "\${event.time}"}}
inputs: {due: {type: string}}
steps:
  - command: [sh, -c, 'cut -c 1-5 greeting.txt; echo "$0"', "\${due}"]
`;

/** A server, a worker on it with its own store and the only key, and a folder that has neither. */
beforeAll(async () => {
  endpoint = await startModelEndpoint(({ system, messages }) => ({
    text: JSON.stringify({ system, messages }).includes('HELLO') ? 'hello' : 'nothing',
  }));
  server = await openProject({ 'same.yml': SAME });
  running.push(server.start('up'));
  const { grpc } = await until(
    async () => (JSON.parse((await server.read('.perdure/host.json')) || '{}') as { ports?: { grpc: number } }).ports,
  );
  const TEMPORAL_ADDRESS = `127.0.0.1:${String(grpc)}`;
  remote = await openProject(
    { 'greeting.txt': `HELLO${' there'.repeat(200)}` },
    { TEMPORAL_ADDRESS, ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: endpoint.url },
  );
  const worker = remote.start('worker', '--task-queue', 'team');
  running.push(worker);
  let told = '';
  worker.process.stderr?.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  await until(() => told.includes('Ready:'));
  laptop = await openProject(
    {
      'perdure.yml': 'task_queue: team\n',
      'same.yml': SAME,
      'team.yml': TEAM,
      'definitions/workflows/yearly.yml': YEARLY,
      'big.json': JSON.stringify({ note: 'x'.repeat(1_200_000) }),
    },
    { TEMPORAL_ADDRESS },
  );
  other = await openProject(
    {
      'perdure.yml': 'task_queue: team\n',
      'same.yml': SAME,
      'definitions/workflows/monthly.yml': YEARLY.replace('yearly', 'monthly').replace('@yearly', '@monthly'),
      'definitions/workflows/after.yml':
        'name: after\non: {run: {definition: monthly}}\nsteps:\n  - command: [echo, after]\n',
    },
    { TEMPORAL_ADDRESS },
  );
});
afterAll(async () => {
  for (const { process } of running) process.kill('SIGTERM');
  await Promise.all(running.map(({ finished }) => finished));
  for (const project of [laptop, other, remote, server]) await project.close();
  await endpoint.close();
});

describe('a command line without the store', () => {
  it('runs a definition with the keys, files and store of the workers, and asks there', async () => {
    const { code, stderr } = await laptop.run('run', 'team.yml', '-i', `note=${NOTE}`, '--id', 'far', '--no-wait');
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining('Keep it?') as string });
    // What is listed follows the run by a moment.
    await expect
      .poll(async () => JSON.parse((await laptop.run('list', '--waiting', '--json')).stdout) as unknown)
      .toMatchObject([{ gate: 'far/ok' }]);
    const shown = await laptop.run('approve', 'far/ok', '--as', 'ana');
    expect(shown).toMatchObject({ code: 0 });
    const { stdout } = await laptop.run('watch', 'far');
    expect(stdout).toBe(`hello: HELLO${' there'.repeat(200)} and ${NOTE}\n`);
    expect(endpoint.requests).toHaveLength(1);
  });

  it('shows the run and its logs through a worker', async () => {
    const result = JSON.parse((await laptop.run('show', 'far', '--json')).stdout) as RunResult;
    expect(result).toMatchObject({
      status: 'success',
      steps: [
        { id: 'read', output: `HELLO${' there'.repeat(200)}` },
        { id: 'big' },
        { id: 'ask', output: 'hello' },
        { id: 'ok' },
      ],
    });
    expect((await laptop.run('logs', 'far')).stdout).toContain('HELLO there there');
  });

  it('narrates nothing, for what is said is kept where the store is, and shows what was said there', async () => {
    for (const args of [
      ['watch', 'far', '--narrate'],
      ['run', 'team.yml', '-i', 'note=x', '--narrate'],
    ])
      expect(await laptop.run(...args)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('elsewhere') as string,
      });
    expect(endpoint.requests).toHaveLength(1);
    const said = {
      at: '2026-01-01T00:00:00.000Z',
      task: 'ask',
      mood: 'excited',
      text: 'It asks.',
      from: 'model',
    } as const;
    await (
      await openStore(join(remote.folder, '.perdure'))
    ).addNarration('far', { kind: 'message', key: 'k', ...said });
    const { narration } = JSON.parse((await laptop.run('show', 'far', '--json')).stdout) as RunResult;
    expect(narration).toMatchObject({ messages: [said] });
  });

  it('makes no store of its own', async () => {
    expect(existsSync(join(laptop.folder, '.perdure', 'store.json'))).toBe(false);
    expect(await readdir(join(remote.folder, '.perdure', 'runs'))).toHaveLength(1);
  });

  it('says that too much is too much, and starts nothing', async () => {
    const { code, stderr } = await laptop.run('run', 'team.yml', '--inputs', 'big.json', '--id', 'more');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('to have at most 1 MiB, got 1,200,') as string,
    });
    expect((await laptop.run('show', 'more')).code).toBe(2);
  });

  it('decides by a grant, for which it needs no key, and can make none itself', async () => {
    const started = await laptop.run('run', 'team.yml', '-i', 'note=short', '--id', 'granted', '--no-wait');
    expect(started.code, started.stderr).toBe(4);
    expect(await laptop.run('grant', 'granted', '--to', 'ana')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('This needs the folder of the store') as string,
    });
    const made = await remote.run('grant', 'granted', '--to', 'ana', '--json');
    expect(made.code, made.stderr).toBe(0);
    const { token } = JSON.parse(made.stdout) as { token: string };
    const changed = await laptop.run('approve', '--token', `${token.slice(0, -4)}AAAA`);
    expect(changed).toMatchObject({ code: 1, stderr: expect.stringContaining('forged or damaged') as string });
    expect(await laptop.run('approve', '--token', token)).toMatchObject({ code: 0 });
    expect((await laptop.run('watch', 'granted')).code).toBe(0);
    expect((await laptop.run('show', 'granted')).stdout).toContain('1 decision refused');
    expect((await remote.run('receipt', 'granted')).stdout).toContain('"via":["grant"]');
  });
});

describe('a schedule in a server elsewhere', () => {
  const listed = async (): Promise<unknown> =>
    JSON.parse((await laptop.run('schedules', 'list', '--json')).stdout) as unknown;
  const outputOf = async (run: string): Promise<string> => {
    await until(async () => (await laptop.run('show', run)).code === 0);
    return (await laptop.run('watch', run)).stdout;
  };

  it('is made from a folder without the store, carried out by the worker, paused and made up for', async () => {
    expect(await listed()).toMatchObject([{ name: 'yearly', state: 'absent', drift: 'new' }]);
    expect(await laptop.run('schedules', 'sync')).toMatchObject({
      code: 0,
      stdout: '+ yearly  @yearly (UTC)\n',
      stderr: 'Done. Runs begin while a worker is there.\n',
    });
    const triggered = await laptop.run('schedules', 'trigger', 'yearly');
    expect(triggered.code, triggered.stderr).toBe(0);
    expect(await outputOf(triggered.stdout.trim())).toMatch(/^HELLO\n\d{4}-/);
    expect((await laptop.run('schedules', 'pause', 'yearly', '--note', 'for the move')).code).toBe(0);
    await expect.poll(listed).toMatchObject([{ state: 'paused', note: expect.stringContaining('move') as string }]);
    expect((await laptop.run('schedules', 'resume', 'yearly')).code).toBe(0);
    const due = '2026-01-01T00:00:00';
    const range = ['--from', '2025-12-31T00:00:00Z', '--to', '2026-01-02T00:00:00Z'];
    expect((await laptop.run('schedules', 'backfill', 'yearly', ...range)).code).toBe(0);
    const made = await until(async () => {
      const [{ recent }] = (await listed()) as [{ recent: { run: string; due: string }[] }];
      return recent.find((one) => one.due.startsWith(due))?.run;
    });
    expect(await outputOf(made)).toBe(`HELLO\n${due}.000Z\n`);
  });

  it('is left alone by another project with the same store, which has its own', async () => {
    const own = async (project: Project): Promise<unknown> => JSON.parse((await sync(project)).stdout) as unknown;
    const sync = (project: Project): Promise<{ code: number | null; stdout: string; stderr: string }> =>
      project.run('schedules', 'sync', '--json');
    const [mine, theirs] = [['yearly'], ['monthly', 'after']];
    expect(await own(other)).toEqual({ created: theirs, changed: [], removed: [], same: [], others: mine });
    expect(await own(laptop)).toEqual({ created: [], changed: [], removed: [], same: mine, others: theirs });
    expect(await listed()).toMatchObject([
      { name: 'after', state: 'active', drift: 'other' },
      { name: 'monthly', state: 'active', drift: 'other' },
      { name: 'yearly', state: 'active', drift: null },
    ]);
    // Another definition of the same name would take its place, also one in a file of the same name.
    for (const file of ['mine.yml', 'yearly.yml']) {
      await writeFile(join(other.folder, 'definitions/workflows', file), YEARLY);
      expect(await sync(other)).toMatchObject({ code: 2, stderr: expect.stringContaining('`yearly`') as string });
      await rm(join(other.folder, 'definitions/workflows', file));
    }
    await rm(join(other.folder, 'definitions'), { recursive: true });
    expect(await own(other)).toEqual({ created: [], changed: [], removed: theirs, same: [], others: mine });
    expect(await own(laptop)).toMatchObject({ same: mine, others: [] });
  });

  it('is the same for two checkouts of a project that has a name', async () => {
    const named = 'task_queue: team\nproject: reports\n';
    for (const project of [laptop, other]) await writeFile(join(project.folder, 'perdure.yml'), named);
    await cp(join(laptop.folder, 'definitions'), join(other.folder, 'definitions'), { recursive: true });
    expect((await laptop.run('schedules', 'remove', 'yearly')).code).toBe(0);
    const synced = async (project: Project): Promise<unknown> =>
      JSON.parse((await project.run('schedules', 'sync', '--json')).stdout) as unknown;
    expect(await synced(laptop)).toMatchObject({ created: ['yearly'] });
    expect(await synced(other)).toMatchObject({ created: [], others: [] });
    expect(await listed()).toMatchObject([{ name: 'yearly', state: 'active' }]);
  });

  it('is not made where nobody would carry it out', async () => {
    // The worker takes what is on its own queue, and this folder means that of its store.
    expect(await remote.run('schedules', 'sync')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/No worker polls the task queue `perdure-.*\n.*perdure worker/) as string,
    });
    expect(await listed()).toMatchObject([{ state: 'active' }]);
  });
});

describe('the id of a run on a server of several projects', () => {
  it('is joined from folders of one store, and refused where the run is of another store', async () => {
    expect(await laptop.run('run', 'same.yml', '--id', 'shared')).toMatchObject({ code: 0, stdout: 'done\n' });
    const joined = await other.run('run', 'same.yml', '--id', 'shared');
    expect(joined).toMatchObject({ code: 0, stderr: expect.stringContaining('joined run shared') as string });
    const { code, stderr } = await server.run('run', 'same.yml', '--id', 'shared', '--detach');
    expect(code, stderr).toBe(2);
    expect(stderr).toContain('There is a run `shared` of another project on this server already.');
  });
});
