// @seconds 60
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Project } from './project.js';
import { kill, openProject, until } from './project.js';
import { random } from './seed.js';

const FIRST = `name: first
inputs: {n: {type: string}}
steps:
  - command: [sh, -c, 'sleep 0.2; echo "$0"', "\${n}"]
    retry: {attempts: 9, backoff: 100ms}
`;
const after = (name: string, followed: string): string => `name: ${name}
on: {run: {definition: ${followed}, inputs: {n: "\${event.output}", of: "\${event.run}"}}}
inputs: {n: {type: string}, of: {type: string}}
steps:
  - command: [echo, "\${n}"]
    retry: {attempts: 9, backoff: 100ms}
`;
const RUNS = 12;
const next = random('followers');

interface Run {
  run: string;
  definition: string;
  status: string;
  description?: string;
}

it('starts one run for each that has ended, over a host and a server that are killed again and again', async () => {
  const project = await openProject({
    'definitions/workflows/first.yml': FIRST,
    'definitions/workflows/second.yml': after('second', 'first'),
    'definitions/workflows/third.yml': after('third', 'second'),
  });
  onTestFinished(() => project.close());
  expect((await project.run('schedules', 'sync')).code).toBe(0);
  const ids = Array.from({ length: RUNS }, (_, index) => `first-${index}`);
  for (const [index, id] of ids.entries()) {
    const submitted = await project.run('run', 'first', '--id', id, '-i', `n=${index}`, '--detach');
    expect(submitted.code, submitted.stderr).toBe(0);
    if (index % 3 === 2) await killSoon(project, (index + 1) * 3);
  }
  const list = async (): Promise<Run[]> => JSON.parse((await project.run('list', '--json')).stdout) as Run[];
  const runs = await until(async () => {
    const all = await list();
    return all.length >= RUNS * 3 && all.every(({ status }) => status === 'success') && all;
  });
  // Each is followed once, by the run that says so, and that again: none is lost, none comes twice.
  const of = (name: string): Run[] => runs.filter(({ definition }) => definition === name);
  const followed = (name: string): string[] =>
    of(name).map(({ description = '' }) => description.slice('after '.length));
  expect(followed('second').sort()).toEqual([...ids].sort());
  expect(followed('third').sort()).toEqual(
    of('second')
      .map(({ run }) => run)
      .sort(),
  );
  expect(runs).toHaveLength(RUNS * 3);
});

/** Kills host and server at the moment in which a run has left its record, of so many, and starts them again. */
async function killSoon(project: Project, of: number): Promise<void> {
  const closed = async (): Promise<number> =>
    (await readdir(join(project.folder, '.perdure', 'runs')).catch(() => [])).filter((name) => name.endsWith('.json'))
      .length;
  const enough = Math.min(of, (await closed()) + 1 + Math.floor(next() * 3));
  await until(async () => (await closed()) >= enough);
  const { host, server } = await project.pids();
  for (const pid of [host, server]) if (pid !== null) kill(pid);
  expect((await project.run('server', 'start')).code).toBe(0);
}
