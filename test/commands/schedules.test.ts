// @seconds 40
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ListedSchedule } from '../../src/cli/triggers/list-schedules.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

/** Half an hour from now, so that none is due by itself while the tests run. */
const OFFSET = Math.floor((Date.now() / 60_000 + 30) % 60) || 1;
const hourly = (more = ''): string => `name: hourly
schedule:
  every: 1h
  offset: ${OFFSET}m
  inputs: {due: "\${event.time}"${more}}
inputs: {due: {type: string}, who: {type: string, default: nobody}}
steps:
  - command: [echo, "\${due} \${who}"]
`;
const slow = 'name: slow\nschedule: "@yearly"\nsteps:\n  - wait: 1h\n';
const plain = 'name: plain\nsteps:\n  - command: [echo, plain]\n';

let project: Project;
beforeAll(async () => {
  project = await openProject({
    'definitions/workflows/hourly.yml': hourly(),
    'definitions/workflows/slow.yml': slow,
    'definitions/workflows/plain.yml': plain,
  });
});
afterAll(() => project.close());

const json = async <T>(...args: string[]): Promise<T> => JSON.parse((await project.run(...args, '--json')).stdout) as T;
const listed = async (name: string): Promise<ListedSchedule | undefined> =>
  (await json<ListedSchedule[]>('schedules', 'list')).find((one) => one.name === name);
const runsOf = async (name: string): Promise<{ run: string; status: string; description?: string }[]> =>
  (await json<{ run: string; definition: string; status: string }[]>('list')).filter(
    ({ definition }) => definition === name,
  );
const write = (name: string, text: string): Promise<void> =>
  writeFile(join(project.folder, 'definitions', 'workflows', `${name}.yml`), text);

it('makes the schedules of the server equal to the definitions, and says first what changes', async () => {
  expect(await listed('hourly')).toMatchObject({ state: 'absent', drift: 'new', schedule: ['every 1h'] });
  expect(await json('schedules', 'sync', '--dry-run')).toEqual({
    created: ['hourly', 'slow'],
    changed: [],
    removed: [],
    same: [],
    others: [],
  });
  expect(await listed('hourly')).toMatchObject({ state: 'absent', drift: 'new' });
  expect(await project.run('schedules', 'sync')).toMatchObject({
    code: 0,
    stdout: '+ hourly  every 1h (UTC)\n+ slow  @yearly (UTC)\n',
  });
  await expect.poll(() => listed('hourly')).toMatchObject({ state: 'active', drift: null });
  expect(await json('schedules', 'sync')).toEqual({
    created: [],
    changed: [],
    removed: [],
    same: ['hourly', 'slow'],
    others: [],
  });

  await write('hourly', hourly(', who: you'));
  expect(await listed('hourly')).toMatchObject({ state: 'active', drift: 'changed' });
  expect(await json('schedules', 'sync')).toMatchObject({ changed: ['hourly'], same: ['slow'], others: [] });
  expect(await listed('hourly')).toMatchObject({ drift: null });
});

it('says of which file a schedule is that the server does not take', async () => {
  // It has dropped zones that Node still knows.
  await write(
    'odd',
    plain.replace('plain', 'odd').replace('steps', 'schedule: {cron: "@yearly", zone: SystemV/AST4}\nsteps'),
  );
  const { code, stderr } = await project.run('schedules', 'sync');
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(
      /the schedule of `odd`: .*SystemV\/AST4[^]*definitions\/workflows\/odd\.yml/,
    ) as string,
  });
  await rm(join(project.folder, 'definitions/workflows/odd.yml'));
});

it('starts, when it is triggered, a run as `run` does: listed, shown and reused like any other', async () => {
  const { stdout, code } = await project.run('schedules', 'trigger', 'hourly');
  const run = stdout.trim();
  expect({ code, run }).toEqual({ code: 0, run: expect.stringMatching(/^hourly-[a-z2-7]{8}$/) as string });
  await project.run('watch', run);
  const shown = await json<{ status: string; output: string; rehearsal: boolean }>('show', run);
  expect(shown).toMatchObject({ status: 'success', rehearsal: false });
  expect(shown.output).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z you$/);
  expect(await runsOf('hourly')).toEqual([
    expect.objectContaining({
      run,
      status: 'success',
      description: expect.stringMatching(/^by schedule, for /) as string,
    }),
  ]);
  expect(await listed('hourly')).toMatchObject({ recent: [{ run }] });
  expect(await json('rerun', run, '--dry-run')).toMatchObject({ run: [] });
});

it('makes up for what was due in a time, each moment once however often it is asked', async () => {
  const from = new Date(Date.now() - 3 * 3_600_000).toISOString();
  const before = (await runsOf('hourly')).length;
  expect(await project.run('schedules', 'backfill', 'hourly', '--from', from)).toMatchObject({ code: 0 });
  const ended = async (): Promise<number> =>
    (await runsOf('hourly')).filter(({ status }) => status === 'success').length;
  // Of those that are due at once `overlap: skip` starts one, and the next when nothing is open any more.
  await expect.poll(ended).toBeGreaterThan(before);
  await write('hourly', hourly(', who: you').replace('every: 1h', 'every: 1h\n  overlap: buffer_all'));
  expect(await json('schedules', 'sync')).toMatchObject({ changed: ['hourly'] });
  await project.run('schedules', 'backfill', 'hourly', '--from', from);
  await expect.poll(ended).toBe(before + 3);
  await project.run('schedules', 'backfill', 'hourly', '--from', from);
  await expect.poll(async () => (await listed('hourly'))?.recent.length).toBeGreaterThan(5);
  expect(await ended()).toBe(before + 3);
});

it('starts no more than a hundred at once by mistake, and says how to go in parts', async () => {
  await write('rare', `${plain.replace('plain', 'rare')}schedule: "@monthly"\n`);
  expect(await json('schedules', 'sync')).toMatchObject({ created: ['rare'] });
  const backfill = (...args: string[]) =>
    project.run('schedules', 'backfill', 'rare', '--from', '2000-01-15T00:00:00Z', ...args);
  const refused = await backfill();
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/was due \d{3} times from .*, more than 100\. Nothing was started\./) as string,
  });
  expect(refused.stderr).toContain('`--to 2008-05-01T00:00:00.000Z`');
  expect(await runsOf('rare')).toEqual([]);
  expect(await backfill('--to', '2008-05-01T00:00:00.000Z')).toMatchObject({ code: 0 });
  await expect.poll(async () => (await runsOf('rare')).length).toBeGreaterThan(0);
  expect(await backfill('--all')).toMatchObject({ code: 0 });
  await rm(join(project.folder, 'definitions', 'workflows', 'rare.yml'));
  expect(await json('schedules', 'sync')).toMatchObject({ removed: ['rare'] });
});

it('skips a run while one is open, also one that is triggered, and ends no run with its schedule', async () => {
  const first = (await project.run('schedules', 'trigger', 'slow')).stdout.trim();
  expect(await project.run('schedules', 'trigger', 'slow')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Skipped: a run of it is open.') as string,
  });
  await rm(join(project.folder, 'definitions', 'workflows', 'slow.yml'));
  await expect.poll(() => listed('slow')).toMatchObject({ state: 'active', drift: 'removed' });
  expect(await json('schedules', 'sync')).toMatchObject({ removed: ['slow'] });
  await expect.poll(() => listed('slow')).toBeUndefined();
  expect(await runsOf('slow')).toMatchObject([{ run: first, status: 'running' }]);
  expect((await project.run('cancel', first)).code).toBe(0);
  await expect.poll(() => runsOf('slow')).toMatchObject([{ run: first, status: 'cancelled' }]);
});

it('asks people until the deadline of a gate, then takes its fallback', async () => {
  await write(
    'asks',
    'name: asks\nschedule: "@yearly"\nsteps:\n' +
      '  - {id: go, approval: "Go?", content: "this", deadline: 2s, fallback: approve}\n' +
      '  - {id: which, ask: "Which?", deadline: 1h, default: none}\n',
  );
  expect(await json('schedules', 'sync')).toMatchObject({ created: ['asks'] });
  const run = (await project.run('schedules', 'trigger', 'asks')).stdout.trim();
  const gates = async (): Promise<string[]> =>
    (await json<{ gate: string }[]>('list', '--waiting')).map(({ gate }) => gate);
  await expect.poll(gates).toEqual([`${run}/which`]);
  expect((await project.run('answer', `${run}/which`, 'this one')).code).toBe(0);
  await project.run('watch', run);
  const shown = await json<{ steps: { duration_ms: number }[] }>('show', run);
  expect(shown).toMatchObject({
    status: 'success',
    output: 'this one',
    steps: [{ id: 'go', status: 'success', output: 'this', note: 'approved by fallback: unattended' }, { id: 'which' }],
  });
  expect(shown.steps[0]?.duration_ms).toBeGreaterThanOrEqual(2_000);
});

it('stays paused, with the reason, until somebody resumes it', async () => {
  expect(await project.run('schedules', 'pause', 'hourly', '--note', 'for the move')).toMatchObject({ code: 0 });
  await expect
    .poll(() => listed('hourly'))
    .toMatchObject({ state: 'paused', note: expect.stringMatching(/^for the move \(by .+\)$/) as string });
  await write('hourly', hourly(', who: all'));
  expect(await json('schedules', 'sync')).toMatchObject({ changed: ['hourly'] });
  expect(await listed('hourly')).toMatchObject({ state: 'paused', drift: null });
  expect(await project.run('schedules', 'resume', 'hourly')).toMatchObject({ code: 0 });
  await expect.poll(() => listed('hourly')).toMatchObject({ state: 'active', note: null });
});

it('changes nothing while a definition is broken, and says what is wrong with it', async () => {
  await write('hourly', hourly().replace('every: 1h', 'every: 1h\n  zone: Nowhere'));
  const { code, stderr } = await project.run('schedules', 'sync');
  expect({ code, told: stderr.includes('hourly.yml:4:9') }).toEqual({ code: 2, told: true });
  expect(await listed('hourly')).toMatchObject({ state: 'active', drift: 'broken' });
  expect(await project.run('schedules', 'pause', 'hourlie')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no schedule `hourlie`.') as string,
  });
  expect(await project.run('schedules', 'backfill', 'hourly')).toMatchObject({ code: 2 });
});

it('starts no host for a name that nothing here has', async () => {
  await project.run('server', 'stop');
  for (const [name, hint] of [
    ['hourlie', 'did you mean `hourly`?'],
    ['nothing-alike', 'Of one that is gone the server may have it, which is not running: `perdure server start`.'],
    ['', 'has those with a schedule'],
  ] as const)
    expect(await project.run('schedules', 'pause', name)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(hint) as string,
    });
  expect(await json('server', 'status')).toEqual({ phase: 'stopped' });
  expect(await project.run('schedules', 'pause', 'hourly')).toMatchObject({ code: 0 });
});
