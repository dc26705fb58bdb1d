// @module-tag postgres
// @seconds 30
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Project, Running } from '../project.js';
import { kill, openProject, until } from '../project.js';
import type { PostgresServer } from './server.js';
import { startPostgres } from './server.js';

const FILES = {
  'perdure.yml': 'store: {postgres: "${env.TEAM_STORE}"}\n',
  'definitions/workflows/writes.yml':
    'name: writes\nschedule: {cron: "@yearly"}\nsteps:\n  - id: first\n    command: [touch, first]\n' +
    '  - id: go\n    approval: "Go on?"\n    fallback: abort\n    deadline: 1h\n' +
    '  - id: second\n    command: [sh, -c, "[ -e first ] && echo here"]\n',
};

let server: PostgresServer;
let home: Project;
let address: string;
beforeAll(async () => {
  server = await startPostgres();
  home = await openProject({}, { PERDURE_HOST_IDLE_MS: '600000' });
  await home.run('server', 'start');
  ({ address } = JSON.parse((await home.run('server', 'status', '--json')).stdout) as { address: string });
});
afterAll(async () => {
  await home.close();
  await server.remove();
});

async function machine(url: string): Promise<Project> {
  const project = await openProject(FILES, { TEAM_STORE: url, TEMPORAL_ADDRESS: address });
  onTestFinished(() => project.close());
  return project;
}

/** A worker that is ready, or has ended, and what it said. */
async function work(project: Project): Promise<Running & { said: () => string }> {
  const worker = project.start('worker');
  onTestFinished(() => {
    kill(worker.process.pid ?? 0);
  });
  let said = '';
  worker.process.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await until(() => said.includes('Ready') || worker.process.exitCode !== null);
  return { ...worker, said: () => said };
}

it('a worker with another folder is refused while a run works in that of one that is there', async () => {
  const url = await server.createDatabase();
  const [one, other] = [await machine(url), await machine(url)];
  const first = await work(one);
  expect((await one.run('run', 'writes', '--id', 'torn', '--no-wait')).code).toBe(4);
  const refused = await work(other);
  expect(await refused.finished).toMatchObject({ code: 3 });
  expect(refused.said()).toContain(`An open run works in the project's folder of another worker`);
  expect(refused.said()).toContain('`torn`');
  expect(JSON.parse((await one.run('workers', '--json')).stdout)).toHaveLength(1);
  expect((await one.run('approve', 'torn')).code).toBe(0);
  expect(await one.run('watch', 'torn')).toMatchObject({ code: 0, stdout: expect.stringContaining('here') as string });

  await work(other);
  expect(await one.run('run', 'writes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Each step would find other files.') as string,
  });
  // What nobody submits is started by the same rule.
  expect((await one.run('schedules', 'sync')).code).toBe(0);
  const triggered = (await one.run('schedules', 'trigger', 'writes')).stdout.trim();
  const shown = await until(async () => {
    const said = (await one.run('show', triggered, '--json')).stdout;
    return said === '' ? undefined : (JSON.parse(said) as { status?: string; error?: unknown });
  });
  expect(shown).toMatchObject({ status: 'error', error: expect.stringContaining('find other files.') as string });
  expect((await one.run('list')).stdout).toContain(triggered);
  expect((await one.run('show', triggered)).stdout).toContain('It could not begin. Steps of `writes` may change');
  expect(first.process.exitCode).toBeNull();
});

it('goes on with a run in another folder once the worker that had the first is gone', async () => {
  const url = await server.createDatabase();
  const [one, other] = [await machine(url), await machine(url)];
  const first = await work(one);
  expect((await one.run('run', 'writes', '--id', 'moved', '--no-wait')).code).toBe(4);
  kill(first.process.pid ?? 0, 'SIGTERM');
  await first.finished;
  await work(other);
  expect((await other.run('reject', 'moved', '--comment', 'moved on')).code).toBe(0);
  expect((await other.run('watch', 'moved')).code).toBe(1);
});

it('keeps no files as those that a run found, where its worker has others', async () => {
  const url = await server.createDatabase();
  const [one, other] = [await machine(url), await machine(url)];
  await work(one);
  for (const [project, run] of [
    [one, 'near'],
    [other, 'far'],
  ] as const) {
    execFileSync('git', ['init', '--quiet', project.folder]);
    expect((await project.run('run', 'writes', '--id', run, '--no-wait')).code).toBe(4);
    expect((await project.run('approve', run)).code).toBe(0);
    expect((await project.run('watch', run)).code).toBe(0);
  }
  expect(await one.run('workspace', 'show', 'near')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('first') as string,
  });
  expect(await other.run('workspace', 'show', 'far')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The files that `far` found were not kept.') as string,
  });
});
