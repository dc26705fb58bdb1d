// @seconds 20
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Execution } from '../../src/workers/link/list-executions.js';
import { asOfNow } from '../../src/cli/observe/as-of-now.js';
import { compileDefinition } from '../../src/compiler/compile.js';
import { findProject } from '../../src/compiler/project/project.js';
import { INTERPRETER, MEMO } from '../../src/plan/names.js';
import { shortPlan } from '../../src/plan/packing/packed-plan.js';
import { DEFAULT_BUDGETS } from '../../src/plan/budget/budgets.js';
import type { RunInput } from '../../src/plan/run-input.js';
import { UNLIMITED } from '../../src/plan/run-input.js';
import { openStore } from '../../src/store/local-store.js';
import type { Project } from '../faults/project.js';
import { kill, openProject, until } from '../faults/project.js';
import { runRecord } from '../store/helpers/run-record.js';

const LONG = `name: long
steps:
  - foreach: {items: [0, 1, 2, 3, 4, 5, 6, 7], max_parallel: 1}
    command: [echo, "\${item}"]
    timeout: 1m
  - ask: Which?
`;
const ASKS = 'name: asks\nsteps:\n  - ask: Which?\n';
const BELOW = 'name: below\nsteps:\n  - {id: inner, workflow: asks.yml}\n';
const ECHO = 'name: echo\nsteps:\n  - command: [echo, said]\n';

let project: Project;
let client: Client;
beforeAll(async () => {
  project = await openProject({ 'long.yml': LONG, 'asks.yml': ASKS, 'below.yml': BELOW, 'echo.yml': ECHO });
  expect((await project.run('server', 'start')).code).toBe(0);
  client = new Client({ connection: await Connection.connect({ address: (await status()).address }) });
});
afterAll(async () => {
  await client.connection.close();
  await project.close();
});

const status = async (): Promise<{ address: string; taskQueue: string }> =>
  JSON.parse((await project.run('server', 'status', '--json')).stdout) as { address: string; taskQueue: string };

interface Row {
  run: string;
  status: string;
}

async function rows(...args: string[]): Promise<Row[]> {
  const listed = JSON.parse((await project.run('list', ...args, '--json')).stdout) as Row[];
  return listed.map((row) => ({ run: row.run, status: row.status })).sort((a, b) => (a.run < b.run ? -1 : 1));
}

/** Starts a run as the command line does, but for how many steps one of its Temporal runs has. */
async function startInLinks(run: string, linkSteps: number): Promise<void> {
  const { plan } = compileDefinition({
    file: 'long.yml',
    cwd: project.folder,
    project: findProject(project.folder),
    config: {},
  });
  if (plan === null) throw new Error('Expected the definition to compile.');
  const store = await openStore(join(project.folder, '.perdure'));
  await store.putPlan(plan);
  await store.noteSubmitted({
    run,
    definition: 'long',
    rehearsal: false,
    submitted_by: 'ana',
    submitted_at: new Date().toISOString(),
  });
  const settings: RunInput['settings'] = {
    models: {},
    rehearsal: false,
    submitted_by: 'ana',
    gates: 'ask',
    search_attributes: false,
    budget: DEFAULT_BUDGETS,
    workspace: project.folder,
    caller: project.folder,
  };
  const input: RunInput = {
    plan: shortPlan(plan),
    input: {},
    root: null,
    path: '',
    lease: UNLIMITED,
    settings,
    link_steps: linkSteps,
    carried: null,
  };
  const memo = {
    [MEMO.definition]: 'long',
    [MEMO.submittedBy]: 'ana',
    [MEMO.submittedAt]: new Date().toISOString(),
    [MEMO.waiting]: [],
  };
  await client.workflow.start(INTERPRETER, {
    workflowId: run,
    taskQueue: (await status()).taskQueue,
    args: [input],
    memo,
  });
}

async function linksOf(run: string): Promise<number> {
  const links = new Set<string>();
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${run}'` })) links.add(runId);
  return links.size;
}

describe('a row of `list` is a run', () => {
  it('however many Temporal runs it has continued as, open and closed, in every filter', async () => {
    await startInLinks('ones', 1);
    await startInLinks('threes', 3);
    await until(async () => (await rows('--status', 'waiting')).length === 2);
    expect([(await linksOf('ones')) > 5, (await linksOf('threes')) > 1]).toEqual([true, true]);
    const both = ['ones', 'threes'].map((run) => ({ run, status: 'waiting' }));
    expect(await rows()).toEqual(both);
    expect(await rows('--status', 'open')).toEqual(both);
    expect(await rows('--status', 'running')).toEqual([]);
    expect(JSON.parse((await project.run('list', '--waiting', '--json')).stdout)).toHaveLength(2);
    await client.workflow.getHandle('threes').terminate(); // leaves no record
    expect((await project.run('answer', 'ones', 'this')).code).toBe(0);
    expect((await project.run('watch', 'ones')).code).toBe(0);
    await until(async () => (await rows('--status', 'open')).length === 0);
    expect(await rows()).toEqual([
      { run: 'ones', status: 'success' },
      { run: 'threes', status: 'cancelled' },
    ]);
    expect((await project.run('prune', '--older-than', '0', '--dry-run')).stdout).toBe('ones\nthrees\n');
    expect((await project.run('prune', '--older-than', '1', '--dry-run')).stdout).toBe('');
  });

  it('also where the server was killed: what was submitted and has no end is told as open', async () => {
    expect((await project.run('run', 'asks.yml', '--id', 'waits', '--no-wait')).code).toBe(4);
    expect((await project.run('run', 'echo.yml', '--id', 'said')).code).toBe(0);
    const { host, server } = await project.pids();
    for (const pid of [host, server]) kill(pid ?? 0);
    await until(async () => (await project.run('server', 'status')).code === 3);
    const known = [
      { run: 'ones', status: 'success' },
      { run: 'said', status: 'success' },
      { run: 'threes', status: 'open' },
      { run: 'waits', status: 'open' },
    ];
    expect(await rows()).toEqual(known);
    expect(await rows('--status', 'open')).toEqual(known.slice(2));
    expect(await rows('--status', 'success')).toEqual(known.slice(0, 2));
    const listed = await project.run('list');
    expect(listed.stdout).toMatch(/^· waits +open/m);
    expect(listed.stderr).toBe(
      'The server is not running. Whether the 2 that are open work, wait, are paused or were ended by force is not ' +
        'known. `perdure server start` starts it.\n',
    );
    expect(await project.run('list', '--status', 'waiting')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: listed.stderr,
    });
    const waiting = await project.run('list', '--waiting');
    expect(waiting).toMatchObject({ code: 0, stdout: '' });
    expect(waiting.stderr).toMatch(/^The server is not running\. What `\w+`, `\w+` may wait for is not known\./);
    expect((await project.run('server', 'status')).code).toBe(3); // looking has started nothing
    // As it is where only records were kept: of a copy, or after the database was moved away.
    await mkdir(join(project.folder, 'other', '.perdure'), { recursive: true });
    await writeFile(join(project.folder, 'other', 'perdure.yml'), '{}\n');
    for (const name of ['runs', 'store.json'])
      await cp(join(project.folder, '.perdure', name), join(project.folder, 'other', '.perdure', name), {
        recursive: true,
      });
    expect((await project.runIn('other', 'trust')).code).toBe(0);
    const copied = await project.runIn('other', 'list', '--json');
    expect((JSON.parse(copied.stdout) as Row[]).map(({ run }) => run).sort()).toEqual(['ones', 'said']);
    await rm(join(project.folder, 'other'), { recursive: true });
    expect((await project.run('server', 'start')).code).toBe(0);
    await until(async () => (await rows('--status', 'waiting')).some(({ run }) => run === 'waits'));
  });
});

describe('of runs that have ended', () => {
  it('a hundred are listed, the last ones, and all where that is wanted; how many are left out is said', async () => {
    const many = await openProject({ 'asks.yml': ASKS });
    onTestFinished(() => many.close());
    const store = await openStore(join(many.folder, '.perdure'));
    const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString();
    for (let index = 0; index < 130; index += 1) {
      const status = index % 26 === 0 ? 'error' : 'success';
      const times = { started_at: at(index), ended_at: at(index + 1) };
      await store.writeRun(runRecord(`day-${index}`, { ...times, status, error: status === 'error' ? 'No.' : null }));
    }
    expect((await many.run('run', 'asks.yml', '--id', 'waits', '--no-wait')).code).toBe(4);
    const runsOf = (text: string): string[] => (JSON.parse(text) as Row[]).map(({ run }) => run);
    const days = (first: number, last: number): string[] =>
      Array.from({ length: first - last + 1 }, (_, back) => `day-${first - back}`);

    const left = '30 runs that ended before these are not listed: `perdure list --all` has all.\n';
    const last = await many.run('list', '--json');
    expect([runsOf(last.stdout), last.stderr]).toEqual([['waits', ...days(129, 30)], left]);
    const shown = await many.run('list');
    expect([shown.stdout.match(/^\S day-/gm)?.length, shown.stderr]).toEqual([100, left]);
    const all = await many.run('list', '--all', '--json');
    expect([runsOf(all.stdout), all.stderr]).toEqual([['waits', ...days(129, 0)], '']);
    const failed = await many.run('list', '--status', 'error', '--json');
    expect([runsOf(failed.stdout), failed.stderr]).toEqual([['day-104', 'day-78', 'day-52', 'day-26', 'day-0'], '']);
    const well = await many.run('list', '--status', 'success', '--json');
    expect(runsOf(well.stdout)).toHaveLength(100);
    expect(well.stderr).toBe(
      'More runs that ended before these are not listed: `perdure list --status success --all` has all.\n',
    );
    expect(await many.run('list', '--status', 'waiting')).toMatchObject({ code: 0, stderr: '' });
  });
});

it('closed runs whose records cannot be read are named, and why is told by `show`', async () => {
  const folder = join(project.folder, '.perdure');
  const store = await openStore(folder);
  await store.writeRun(runRecord('damaged'));
  const record = join(folder, 'runs', 'damaged.json');
  await writeFile(record, '');
  onTestFinished(() => rm(record));
  const listed = await project.run('list', '--all', '--json');
  expect(listed.code).toBe(0);
  expect(listed.stderr).toContain('The record of `damaged` cannot be read and is not listed: `');
  const shown = await project.run('show', 'damaged');
  expect([shown.code, shown.stderr]).toEqual([3, expect.stringContaining('The record of run `damaged` is corrupt')]);
});

describe('what waits', () => {
  const waitsIn = (executions: Execution[]): string[] =>
    executions
      .filter(({ status, memo }) => status.name === 'RUNNING' && (memo?.[MEMO.waiting] as unknown[]).length > 0)
      .map(({ workflowId }) => workflowId);

  it('is told as it is now, whatever the server lists by then', async () => {
    const now = new Client({ connection: await Connection.connect({ address: (await status()).address }) });
    onTestFinished(() => now.connection.close());
    const gates = async (): Promise<string[]> =>
      (JSON.parse((await project.run('list', '--waiting', '--json')).stdout) as { gate: string }[]).map(
        ({ gate }) => gate,
      );
    expect((await project.run('run', 'below.yml', '--id', 'late', '--no-wait')).code).toBe(4);
    expect(await gates()).toContain('late/inner/0');
    expect(await rows()).toContainEqual({ run: 'late', status: 'waiting' });
    // As if the server listed nothing yet; then as if it listed what was before somebody answered.
    const before = await asOfNow({ client: now, taskQueue: '' }, [], ['late', 'never-begun']);
    expect(waitsIn(before)).toEqual(['late/inner']);
    expect((await project.run('answer', 'late', 'this')).code).toBe(0);
    expect(await gates()).not.toContain('late/inner/0');
    expect(waitsIn(await asOfNow({ client: now, taskQueue: '' }, before, []))).toEqual([]);
    expect((await project.run('watch', 'late')).code).toBe(0);
    const after = await asOfNow({ client: now, taskQueue: '' }, before, []);
    expect(after.map(({ workflowId, status: { name } }) => [workflowId, name]).sort()).toEqual([
      ['late', 'COMPLETED'],
      ['late/inner', 'COMPLETED'],
    ]);
  });
});
