// @seconds 60
import { cpSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ListedSchedule } from '../../src/cli/triggers/list-schedules.js';
import { kill, openProject, until } from './project.js';
import { random } from './seed.js';

/** Each run says when it begins and ends; one whose worker was killed begins again. */
const TICK = `name: tick
schedule:
  every: 1s
  overlap: skip
  inputs: {due: "\${event.time}"}
inputs: {due: {type: string}}
steps:
  - command: [sh, -c, 'echo "begin $0" >> ../log; sleep 0.7; echo "end $0" >> ../log', "\${due}"]
    retry: {attempts: 9, backoff: 100ms}
`;
const KILLS = 3;
const next = random('schedules');

interface Run {
  run: string;
  status: string;
}

it('starts a run at a time, every second, over a host that is killed again and again', async () => {
  const project = await openProject({ 'p/perdure.yml': '{}\n', 'p/definitions/workflows/tick.yml': TICK });
  onTestFinished(() => project.close());
  const inside = (...args: string[]) => project.runIn('p', ...args);
  const log = async (): Promise<string[]> =>
    (await readFile(join(project.folder, 'log'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  const pids = async (): Promise<number[]> => {
    const file = JSON.parse(await readFile(join(project.folder, 'p', '.perdure', 'host.json'), 'utf8')) as {
      host: { pid: number };
      server: { pid: number } | null;
    };
    return [file.host.pid, ...(file.server === null ? [] : [file.server.pid])];
  };
  onTestFinished(async () => void (await inside('server', 'stop')));
  expect((await inside('schedules', 'sync')).code).toBe(0);
  for (let killed = 0; killed < KILLS; killed += 1) {
    const before = (await log()).length;
    const more = 3 + Math.floor(next() * 4);
    await until(async () => (await log()).length >= before + more);
    for (const pid of await pids()) kill(pid);
    expect((await inside('server', 'start')).code).toBe(0);
  }
  const before = (await log()).length;
  await until(async () => (await log()).length >= before + 4);
  expect((await inside('schedules', 'pause', 'tick')).code).toBe(0);
  const list = async (): Promise<Run[]> => JSON.parse((await inside('list', '--json')).stdout) as Run[];
  // One that was due a moment before may not be listed yet.
  const recent = async (): Promise<string[]> => {
    const { stdout } = await inside('schedules', 'list', '--json');
    return (JSON.parse(stdout) as ListedSchedule[]).flatMap((schedule) => schedule.recent.map(({ run }) => run));
  };
  const runs = await until(async () => {
    const started = await recent();
    const listed = await list();
    const isListed = started.every((id) => listed.some(({ run }) => run === id));
    return isListed && listed.every(({ status }) => status === 'success') && listed;
  });

  // Every run that began has ended, and is listed: none is lost.
  const lines = (await log()).map((line) => line.split(' ') as ['begin' | 'end', string]);
  const begun = new Set(lines.filter(([word]) => word === 'begin').map(([, due]) => due));
  const ended = lines.filter(([word]) => word === 'end').map(([, due]) => due);
  expect([...begun].sort()).toEqual([...new Set(ended)].sort());
  expect(runs).toHaveLength(begun.size);
  // No moment has two runs, and no two runs overlap: between a run's beginning and its end no other one begins.
  let open: string | null = null;
  for (const [word, due] of lines) {
    if (word === 'begin') expect(open ?? due).toBe(due);
    open = word === 'begin' ? due : null;
  }
  expect(begun.size).toBeGreaterThan(KILLS);
});

it('starts nothing in a copy of the project, whose original goes on with its schedule', async () => {
  const project = await openProject({ 'p/perdure.yml': '{}\n', 'p/definitions/workflows/tick.yml': TICK });
  onTestFinished(() => project.close());
  onTestFinished(async () => void (await project.runIn('p', 'server', 'stop')));
  const lines = async (name: string): Promise<number> => (await project.read(name)).split('\n').length - 1;
  expect((await project.runIn('p', 'schedules', 'sync')).code).toBe(0);
  await until(async () => (await lines('log')) >= 4);
  // What is open in the copied database would be started again there.
  for (const part of ['host', 'server'] as const) {
    const file = JSON.parse(await project.read('p/.perdure/host.json')) as Record<string, { pid: number } | null>;
    const pid = file[part]?.pid;
    if (pid !== undefined) kill(pid);
  }
  const filter = (path: string): boolean => !path.endsWith('.sock');
  cpSync(join(project.folder, 'p'), join(project.folder, 'other', 'p'), { recursive: true, filter });
  onTestFinished(async () => void (await project.runIn('other/p', 'server', 'stop')));
  expect((await project.runIn('other/p', 'server', 'start')).code).toBe(0);
  await until(async () => {
    const { stdout } = await project.runIn('other/p', 'schedules', 'list', '--json');
    return (JSON.parse(stdout) as { state: string }[])[0]?.state === 'absent';
  });
  expect((await project.runIn('p', 'server', 'start')).code).toBe(0);
  const before = await lines('log');
  await until(async () => (await lines('log')) >= before + 4);
  expect(await lines('other/log')).toBe(0);
});
