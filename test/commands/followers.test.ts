// @seconds 40
import { cpSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ListedSchedule } from '../../src/cli/triggers/list-schedules.js';
import type { Project } from '../faults/project.js';
import { openProject, projectAt, until } from '../faults/project.js';

const FIRST = `name: first
inputs: {n: {type: string}}
steps:
  - command: [sh, -c, 'echo "out $0"; test "$0" != bad', "\${n}"]
`;
const second = (more = ''): string => `name: second
on:
  run:
    definition: first
    ends: [success, error]
    when: "\${event.inputs.n != 'unwanted'}"
    inputs: {what: "\${event.status} \${event.inputs.n} \${event.output ?? 'nothing,'} \${event.usd}${more}"}
inputs: {what: {type: string}}
steps:
  - command: [echo, "\${what}"]
`;
const CHOOSY = `name: choosy
on:
  run: {definition: second, inputs: {count: "\${event.output}"}}
inputs: {count: {type: number}}
steps:
  - command: [echo, "\${count}"]
`;

let project: Project;
beforeAll(async () => {
  project = await openProject({
    'definitions/workflows/first.yml': FIRST,
    'definitions/workflows/second.yml': second(),
    'definitions/workflows/choosy.yml': CHOOSY,
  });
});
afterAll(() => project.close());

interface Listed {
  run: string;
  definition: string;
  status: string;
  description?: string;
}
const json = async <T>(...args: string[]): Promise<T> => JSON.parse((await project.run(...args, '--json')).stdout) as T;
const listed = async (name: string): Promise<ListedSchedule | undefined> =>
  (await json<ListedSchedule[]>('schedules', 'list')).find((one) => one.name === name);
const runFirst = async (id: string, n: string, ...more: string[]): Promise<void> =>
  void (await project.run('run', 'first', '--id', id, '-i', `n=${n}`, ...more));
const after = async (run: string): Promise<Listed[]> =>
  (await json<Listed[]>('list')).filter(({ description }) => description === `after ${run}`);
/** What ran after a run, once that has ended. */
const followed = (run: string): Promise<Listed> =>
  until(async () => (await after(run)).find(({ status }) => status === 'success'));
const write = (name: string, text: string): Promise<void> =>
  writeFile(join(project.folder, 'definitions', 'workflows', `${name}.yml`), text);

it('starts nothing before it is synced, which says what it does', async () => {
  await runFirst('early', '0');
  expect(await listed('second')).toMatchObject({ kind: 'run', state: 'absent', drift: 'new' });
  const created = ['choosy', 'second'];
  expect(await json('schedules', 'sync', '--dry-run')).toEqual({
    created,
    changed: [],
    removed: [],
    same: [],
    others: [],
  });
  expect(await project.run('schedules', 'sync')).toMatchObject({
    code: 0,
    stdout: '+ choosy  after second: success, partial\n+ second  after first: success, error\n',
  });
  expect(await json('schedules', 'sync')).toEqual({ created: [], changed: [], removed: [], same: created, others: [] });
  expect(await listed('second')).toMatchObject({ state: 'active', drift: null });
  expect(await after('early')).toEqual([]);
});

it('starts a run for each end that is meant, with what the run was given and came to', async () => {
  await runFirst('good', '1');
  await runFirst('failed', 'bad');
  await runFirst('ignored', 'unwanted');
  await runFirst('tried', '1', '--rehearse');
  const { run, definition } = await followed('good');
  expect(definition).toBe('second');
  expect(await json('show', run)).toMatchObject({ output: 'success 1 out 1 0' });
  expect(await json('show', (await followed('failed')).run)).toMatchObject({ output: 'error bad nothing, 0' });
  await runFirst('last', '2');
  await followed('last');
  expect([await after('ignored'), await after('tried')]).toEqual([[], []]);
});

it('begins none whose inputs do not fit, and says why in the log of the run that has ended', async () => {
  const { run } = await followed('good');
  const log = await until(async () => {
    const { stdout } = await project.run('logs', `${run}`, '.follow');
    return stdout !== '' && stdout;
  });
  expect(log).toContain('`choosy`: Expected the input `count` of `choosy` to be a number');
  expect((await json<Listed[]>('list')).filter(({ definition }) => definition === 'choosy')).toEqual([]);
});

it('changes with the next sync, rests while it is paused, and is removed', async () => {
  await write('second', second(' more'));
  expect(await listed('second')).toMatchObject({ drift: 'changed' });
  expect(await project.run('schedules', 'pause', 'second', '--note', 'for now')).toMatchObject({ code: 0 });
  expect(await json('schedules', 'sync')).toMatchObject({ changed: ['second'], same: ['choosy'], others: [] });
  expect(await listed('second')).toMatchObject({ state: 'paused', drift: null });
  await runFirst('paused', '3');
  expect(await project.run('schedules', 'resume', 'second')).toMatchObject({ code: 0 });
  await runFirst('resumed', '4');
  expect(await json('show', (await followed('resumed')).run)).toMatchObject({ output: 'success 4 out 4 0 more' });
  expect(await after('paused')).toEqual([]);
  expect(await project.run('schedules', 'trigger', 'second')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('`perdure run second`') as string,
  });
  await rm(join(project.folder, 'definitions', 'workflows', 'choosy.yml'));
  expect(await listed('choosy')).toMatchObject({ state: 'active', drift: 'removed' });
  expect(await json('schedules', 'sync')).toMatchObject({ removed: ['choosy'], same: ['second'], others: [] });
  expect(await project.run('schedules', 'remove', 'second')).toMatchObject({ code: 0 });
  expect(await listed('second')).toMatchObject({ state: 'absent', drift: 'new' });
});

it('refuses definitions that would start each other, and leaves what was synced as it was', async () => {
  expect(await json('schedules', 'sync')).toMatchObject({ created: ['second'] });
  await write('first', FIRST.replace('inputs:', 'on: {run: {definition: second, inputs: {n: x}}}\ninputs:'));
  const { code, stderr } = await project.run('schedules', 'sync');
  expect({ code, told: stderr.includes('trigger-cycle') }).toEqual({ code: 2, told: true });
  await write('first', FIRST);
  expect(await listed('second')).toMatchObject({ state: 'active', drift: null });
});

it('starts nothing in a copy of the project', async () => {
  await project.run('server', 'stop');
  const folder = `${project.folder}-copy`;
  cpSync(project.folder, folder, { recursive: true, filter: (path) => !path.endsWith('.sock') });
  const copy = projectAt(folder);
  try {
    expect((await copy.run('run', 'first', '--id', 'there', '-i', 'n=1')).code).toBe(0);
    expect((await copy.run('run', 'first', '--id', 'again', '-i', 'n=1')).code).toBe(0);
    const { stdout } = await copy.run('schedules', 'list', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'second', state: 'absent' }]);
    const runs = JSON.parse((await copy.run('list', '--json')).stdout) as Listed[];
    expect(runs.filter(({ description = '' }) => /^after (there|again)$/.test(description))).toEqual([]);
  } finally {
    await copy.close();
  }
});
