// @module-tag postgres
// @module-tag git
// @seconds 110
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../project.js';
import { kill, until } from '../project.js';
import type { Shared, Working } from './machines.js';
import { openMachine, openShared, startWorker } from './machines.js';

const WHERE = 'command: [cat, where]\n    effect: none\n';
const NESTED = `name: nested\nsteps:\n  - id: deep\n    ${WHERE}`;
/** Waits for a person, and says on which machine it went on. */
const FLOW = `name: flow
schedule: "@yearly"
steps:
  - id: first
    ${WHERE}  - id: gate
    approval: {message: "Go on?", deadline: 8h, fallback: abort}
  - id: later
    ${WHERE}  - id: below
    workflow: ./nested.yml
  - id: gpu
    ${WHERE}    requires: {labels: [gpu]}
`;
/** So many steps that the run continues as new between its first and its last. */
const LONG = FLOW.replace('name: flow\nschedule: "@yearly"', 'name: long').replace(
  '  - id: later',
  `  - id: numbers
    command: [sh, -c, "seq -s, 1 1000 | sed 's/.*/[&]/'"]
    effect: none
    schema: {type: array}
  - foreach: "\${steps.numbers.output}"
    set: {number: "\${item}"}
  - id: later`,
);

let shared: Shared;
beforeAll(async () => {
  shared = await openShared();
});
afterAll(() => shared.close());

function machine(url: string, where: string): Promise<Project> {
  const files = {
    'definitions/workflows/flow.yml': FLOW,
    'definitions/workflows/long.yml': LONG,
    'definitions/workflows/nested.yml': NESTED,
    where,
  };
  return openMachine(files, { TEAM_STORE: url, TEMPORAL_ADDRESS: shared.address });
}

function work(project: Project, ...words: string[]): Promise<Working> {
  return startWorker(project, ...(words.includes('--labels') ? [] : ['--labels', 'gpu']), ...words);
}

async function shown(project: Project, run: string): Promise<{ status: string; where: unknown[] }> {
  const { stdout } = await project.run('show', run, '--json');
  const { status, steps } = JSON.parse(stdout) as { status: string; steps: { id: string; output: unknown }[] };
  const where = ['first', 'later', 'below', 'gpu'].map((id) => steps.find((step) => step.id === id)?.output);
  return { status, where };
}

/** Starts a run and waits until it asks. */
async function begin(project: Project, id: string, definition = 'flow'): Promise<void> {
  expect(await project.run('run', definition, '--id', id, '--detach')).toMatchObject({ code: 0 });
  await asks(project, id);
}

async function asks(project: Project, id: string): Promise<void> {
  await until(async () => (await project.run('list', '--waiting')).stdout.includes(`${id}/gate`));
}

/** Lets it go on, and gives where its steps were done. */
async function finish(project: Project, id: string): Promise<unknown[]> {
  expect(await project.run('approve', `${id}/gate`)).toMatchObject({ code: 0 });
  const { where } = await until(async () => {
    const now = await shown(project, id);
    return now.status === 'success' ? now : null;
  });
  return where;
}

async function use(project: Project, version: string): Promise<void> {
  expect(await until(async () => retried(await project.run('deployment', 'use', version)))).toMatchObject({ code: 0 });
}

/** A worker takes from a queue of requirements a moment after it is ready; until then its version is refused. */
function retried<T extends { stderr: string }>(ended: T): T | null {
  return ended.stderr.includes('has no worker for') ? null : ended;
}

interface Version {
  version: string;
  status: string;
  workers: number;
  pinned_runs: number;
}

describe('workers of two versions', () => {
  it('keep each run with the version that began it: nested runs, next links and starters too', async () => {
    const url = await shared.postgres.createDatabase();
    const [one, two] = [await machine(url, 'one'), await machine(url, 'two')];
    const first = await work(one, '--deployment', 'shop:1');
    expect(first.said()).toContain('version shop:1, pinned');
    expect((await one.run('schedules', 'sync')).code).toBe(0);
    await begin(one, 'old');
    await begin(one, 'long', 'long');
    const started = (await one.run('schedules', 'trigger', 'flow')).stdout.trim();
    await asks(one, started);

    const second = await work(two, '--deployment', 'shop:2');
    expect(second.said()).toContain('new runs go to shop:1');
    await begin(two, 'before');
    await use(two, 'shop:2');
    await begin(one, 'new');
    // What the server counts follows the runs by a moment.
    await expect
      .poll(async () => JSON.parse((await one.run('deployment', 'list', '--json')).stdout) as Version[])
      .toMatchObject([
        { version: 'shop:2', status: 'current', workers: 1, pinned_runs: 1 },
        { version: 'shop:1', status: 'draining', workers: 1, pinned_runs: 4 },
      ]);
    expect((await one.run('workers')).stdout).toContain('version shop:1, its runs are pinned to it');
    expect((await one.run('show', 'old')).stdout).toContain('With workers of the version shop:1, pinned.');
    for (const run of ['old', 'before', 'long', started])
      expect([run, await finish(two, run)]).toEqual([run, ['one', 'one', 'one', 'one']]);
    expect(await finish(one, 'new')).toEqual(['two', 'two', 'two', 'two']);
    const client = new Client({ connection: await Connection.connect({ address: shared.address }) });
    const links: string[] = [];
    for await (const { status } of client.workflow.list({ query: "WorkflowId = 'long'" })) links.push(status.name);
    expect(links).toContain('CONTINUED_AS_NEW');
    await client.connection.close();

    await use(one, 'shop:1');
    await begin(one, 'back');
    expect(await finish(one, 'back')).toEqual(['one', 'one', 'one', 'one']);
  });

  it('tell of a run whose version has no worker, and what to do, and another version goes on with it', async () => {
    const url = await shared.postgres.createDatabase();
    const [one, two] = [await machine(url, 'one'), await machine(url, 'two')];
    const lost = await work(one, '--deployment', 'till:1');
    await begin(one, 'left');
    await work(two, '--deployment', 'till:2');
    await use(two, 'till:2');
    await until(async () => (await two.run('doctor')).stdout.includes('till:2 current (1), till:1 draining (1)'));
    kill(lost.process.pid ?? 0, 'SIGTERM');
    await lost.finished;

    const told = 'is pinned to the version `till:1`, of which no worker is there';
    await until(async () => (await two.run('list')).stdout.includes(told));
    const { stdout } = await two.run('show', 'left');
    expect(stdout).toContain(told);
    expect(stdout).toContain('deployment move left');
    expect((await two.run('doctor')).stdout).toMatch(/perdure worker --deployment till:1; or: perdure deployment move/);

    expect(await two.run('deployment', 'move', 'left')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('left: pinned to till:2.') as string,
    });
    expect(await finish(two, 'left')).toEqual(['one', 'two', 'two', 'two']);
    expect((await two.run('list')).stdout).not.toContain('is pinned to');
  });

  it('tell of a pinned run that waits for a label that only workers of another version have', async () => {
    const url = await shared.postgres.createDatabase();
    const [one, two] = [await machine(url, 'one'), await machine(url, 'two')];
    const rich = await work(one, '--deployment', 'mill:1');
    await begin(one, 'earlier');
    await finish(one, 'earlier');
    await begin(one, 'stays');
    await work(two, '--deployment', 'mill:2');
    await use(two, 'mill:2');
    await work(one, '--labels', 'lab', '--deployment', 'mill:1');
    kill(rich.process.pid ?? 0, 'SIGTERM');
    await rich.finished;
    expect(await two.run('approve', 'stays/gate')).toMatchObject({ code: 0 });

    const told = 'waits for a worker of the version `mill:1` with the label `gpu`';
    await until(async () => (await two.run('show', 'stays')).stdout.includes(`\`gpu\` ${told}; none serves now.`));
    await until(async () => (await two.run('list')).stdout.includes(told));
    const doctor = (await two.run('doctor')).stdout;
    expect(doctor).toContain(told);
    expect(doctor).toContain('perdure worker --deployment mill:1 --labels <labels>; or: perdure deployment move stays');
    const watching = two.start('watch', 'stays');
    let seen = '';
    watching.process.stderr?.on('data', (chunk: Buffer) => (seen += chunk.toString()));
    await until(() => seen.includes(told));

    expect(await two.run('deployment', 'move', 'stays')).toMatchObject({ code: 0 });
    expect(await watching.finished).toMatchObject({ code: 0 });
    expect((await shown(two, 'stays')).where).toEqual(['one', 'one', 'one', 'two']);
    expect((await two.run('list')).stdout).not.toContain(told);
  });

  it('move open runs where that was said, and refuse a version that lacks workers, or that has none', async () => {
    const url = await shared.postgres.createDatabase();
    const [one, two] = [await machine(url, 'one'), await machine(url, 'two')];
    const moving = ['--versioning', 'auto-upgrade'];
    const first = await work(one, '--deployment', 'desk:1', ...moving);
    await begin(one, 'moves');
    expect(await two.run('deployment', 'use', 'desk:2')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('perdure worker --deployment desk:2') as string,
    });
    await begin(one, 'warm');
    await finish(one, 'warm');
    const poor = await work(two, '--labels', 'lab', '--deployment', 'desk:2', ...moving);
    expect(await two.run('deployment', 'use', 'desk:2')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/desk:2` has no worker for `[^`]*needs\/gpu`/) as string,
    });
    kill(poor.process.pid ?? 0);
    await work(two, '--deployment', 'desk:2', ...moving);
    await use(two, 'desk:2');
    expect(await finish(two, 'moves')).toEqual(['one', 'two', 'two', 'two']);

    await use(two, 'desk:1');
    kill(first.process.pid ?? 0, 'SIGTERM');
    await first.finished;
    await until(async () => (await two.run('doctor')).stdout.includes('New runs wait for desk:1'));
  });

  it('leave new runs to workers without a version until they are told', async () => {
    const url = await shared.postgres.createDatabase();
    const [one, two] = [await machine(url, 'one'), await machine(url, 'two')];
    await work(one);
    await begin(one, 'plain');
    const versioned = await work(two, '--deployment', 'hall');
    expect(versioned.said()).toMatch(/new runs go to workers without a version.*perdure deployment use hall:\d/);
    await begin(two, 'still');
    expect(await finish(two, 'still')).toEqual(['one', 'one', 'one', 'one']);
    const version = /version (hall:\S+), pinned/.exec(versioned.said())?.[1] ?? '';
    await use(two, version);
    expect(await finish(two, 'plain')).toEqual(['one', 'two', 'two', 'two']);
    await begin(one, 'next');
    expect(await finish(one, 'next')).toEqual(['two', 'two', 'two', 'two']);
  });
});
