// @module-tag postgres
// @module-tag git
// @seconds 30
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Project } from '../project.js';
import { kill, until } from '../project.js';
import type { Shared } from './machines.js';
import { openMachine, openShared, startWorker } from './machines.js';

const FILES = {
  'definitions/workflows/writes.yml':
    'name: writes\nschedule: {cron: "@yearly"}\nsteps:\n  - id: first\n    command: [touch, first]\n' +
    '  - id: go\n    approval: "Go on?"\n    fallback: abort\n    deadline: 1h\n' +
    '  - id: second\n    command: [sh, -c, "[ -e first ] && echo here"]\n',
};

let shared: Shared;
beforeAll(async () => {
  shared = await openShared();
});
afterAll(() => shared.close());

function machine(url: string): Promise<Project> {
  return openMachine(FILES, { TEAM_STORE: url, TEMPORAL_ADDRESS: shared.address });
}

it('a worker with another folder is refused while a run works in that of one that is there', async () => {
  const url = await shared.postgres.createDatabase();
  const [one, other] = [await machine(url), await machine(url)];
  const first = await startWorker(one);
  expect((await one.run('run', 'writes', '--id', 'torn', '--no-wait')).code).toBe(4);
  const refused = await startWorker(other);
  expect(await refused.finished).toMatchObject({ code: 3 });
  expect(refused.said()).toContain(`An open run works in the project's folder of another worker`);
  expect(refused.said()).toContain('`torn`');
  expect(JSON.parse((await one.run('workers', '--json')).stdout)).toHaveLength(1);
  expect((await one.run('approve', 'torn')).code).toBe(0);
  expect(await one.run('watch', 'torn')).toMatchObject({ code: 0, stdout: expect.stringContaining('here') as string });

  await startWorker(other);
  const torn = await one.run('run', 'writes');
  expect([torn.code, torn.stderr]).toEqual([1, expect.stringContaining('Each step would find other files.')]);
  // Two checkouts of one machine are two folders, and told as such.
  for (const { folder } of [one, other]) expect(torn.stderr).toContain(`\`${folder}\` on \``);
  // What nobody submits is started by the same rule.
  expect((await one.run('schedules', 'sync')).code).toBe(0);
  const triggered = (await one.run('schedules', 'trigger', 'writes')).stdout.trim();
  const shown = await until(async () => {
    // Until it has begun there is no such run, which is told as JSON too.
    const { code, stdout } = await one.run('show', triggered, '--json');
    return code === 2 ? undefined : (JSON.parse(stdout) as { status?: string; error?: unknown });
  });
  expect(shown).toMatchObject({ status: 'error', error: expect.stringContaining('find other files.') as string });
  expect((await one.run('list')).stdout).toContain(triggered);
  expect((await one.run('show', triggered)).stdout).toContain('It could not begin. Steps of `writes` may change');
  expect(first.process.exitCode).toBeNull();
});

it('goes on with a run in another folder once the worker that had the first is gone', async () => {
  const url = await shared.postgres.createDatabase();
  const [one, other] = [await machine(url), await machine(url)];
  const first = await startWorker(one);
  expect((await one.run('run', 'writes', '--id', 'moved', '--no-wait')).code).toBe(4);
  kill(first.process.pid ?? 0, 'SIGTERM');
  await first.finished;
  await startWorker(other);
  expect((await other.run('reject', 'moved', '--comment', 'moved on')).code).toBe(0);
  expect((await other.run('watch', 'moved')).code).toBe(1);
});

it('keeps no files as those that a run found, where its worker has others', async () => {
  const url = await shared.postgres.createDatabase();
  const [one, other] = [await machine(url), await machine(url)];
  await startWorker(one);
  for (const [project, run] of [
    [one, 'near'],
    [other, 'far'],
  ] as const) {
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
