// @seconds 20
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Board } from '../../src/activities/devices/board/board.js';
import type { ListedDevice } from '../../src/cli/devices/list-devices.js';
import { closeBoards, boardFor, bytesOfPages, hexOf } from '../devices/boards.js';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';

closeBoards();

let board: Board;
let project: Project;
beforeAll(async () => {
  board = await boardFor();
  project = await openProject({
    'perdure.yml': JSON.stringify({
      devices: {
        uno: { kind: 'avr-arduino', port: `net:127.0.0.1:${board.port}` },
        gone: { kind: 'avr-arduino', port: '/dev/ttyNONE7' },
        toy: { kind: 'simulated' },
        far: { kind: 'avr-arduino', port: '/dev/ttyACM0', task_queue: 'lab' },
      },
    }),
    'image.hex': hexOf(bytesOfPages(1, 1)),
    'holds.yml': JSON.stringify({
      name: 'holds',
      steps: [
        { id: 'flash', flash: { device: 'uno', image: 'image.hex' } },
        { id: 'wait', command: ['sh', '-c', 'until [ -e go ]; do sleep 0.05; done'] },
        { id: 'again', flash: { device: 'uno', image: 'image.hex' } },
      ],
    }),
    'wants.yml': JSON.stringify({
      name: 'wants',
      steps: [{ id: 'flash', flash: { device: 'uno', image: 'image.hex' } }],
    }),
    'far.yml': JSON.stringify({ name: 'far', steps: [{ flash: { device: 'far', image: 'image.hex' } }] }),
  });
});
afterAll(() => project.close());

async function listed(): Promise<Record<string, ListedDevice>> {
  const { code, stdout, stderr } = await project.run('devices', 'list', '--json');
  expect(code, stderr).toBe(0);
  return Object.fromEntries((JSON.parse(stdout) as ListedDevice[]).map((device) => [device.name, device]));
}

describe('devices list', () => {
  it('tells of each device where it is, and starts nothing', async () => {
    const { uno, gone, toy, far } = await listed();
    expect(uno).toMatchObject({
      kind: 'avr-arduino',
      board: 'uno',
      found: true,
      port: `net:127.0.0.1:${board.port}`,
      holder: null,
      waiting: [],
    });
    expect(gone).toMatchObject({ found: false, problem: 'The port `/dev/ttyNONE7` of `gone` is not there.' });
    expect(toy).toMatchObject({ found: true, port: 'simulated' });
    expect(far).toMatchObject({ found: null, task_queue: 'lab', port: '/dev/ttyACM0' });
    expect(await project.pids()).toEqual({ host: null, server: null });
  });

  it('tells who has a device and who waits for it', { tags: ['avrdude'] }, async () => {
    await project.run('run', 'holds.yml', '--id', 'holds', '--detach');
    await until(async () => (await listed())['uno']?.kept_by === 'holds');
    await project.run('run', 'wants.yml', '--id', 'wants', '--detach');
    await until(async () => ((await listed())['uno']?.waiting.length ?? 0) > 0);
    expect((await listed())['uno']).toMatchObject({
      holder: null,
      kept_by: 'holds',
      waiting: [{ run: 'wants', path: 'flash' }],
    });
    const { stdout } = await project.run('devices', 'list');
    expect(stdout).toMatch(
      /uno +avr-arduino uno +net:\S+ +in use, 1 waiting\n +kept for later steps of holds\n +1\. waits: wants\/flash/,
    );
    await writeFile(join(project.folder, 'go'), '');
    expect((await project.run('watch', 'wants')).code).toBe(0);
    await until(async () => (await listed())['uno']?.kept_by === null);
  });
});

describe('a run whose device hangs on a host without a worker', () => {
  it('is not started: exit code 3, with the queue and the device', async () => {
    const { code, stderr } = await project.run('run', 'far.yml');
    expect(code).toBe(3);
    expect(stderr).toContain('No worker polls the task queue `lab`, whose host has `far`.');
    expect(stderr).toContain('perdure worker --task-queue lab');
  });
});

describe('devices monitor', () => {
  it('shows what a device says, and leaves a port alone that is open', async () => {
    const first = project.start('devices', 'monitor', 'uno');
    await until(() => board.open() === 1);
    const second = await project.run('devices', 'monitor', 'uno', '--for', '1');
    expect({ code: second.code, stderr: second.stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Another program on this machine') as string,
    });
    expect(board.open()).toBe(1);
    let shown = '';
    first.process.stdout?.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
    });
    board.say('tick 1\n\u001b[31mred\n');
    await until(() => shown.includes('red'));
    first.process.kill('SIGINT');
    const { code, stdout } = await first.finished;
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'tick 1\n\\u{1b}[31mred\n' });
  });

  it('says at once that a port is not there, and what to do', async () => {
    const { code, stderr } = await project.run('devices', 'monitor', 'gone', '--for', '1');
    expect(code).toBe(3);
    expect(stderr).toMatch(/The port `\/dev\/ttyNONE7` of `gone` is not there\.\n.*cable that carries data/);
  });

  it('refuses what it cannot do: a board of another host, and arguments that mean nothing', async () => {
    for (const [args, why] of [
      [['monitor', 'far'], 'poll `lab`'],
      [['monitor'], 'Expected the name of a device'],
      [['list', 'uno'], 'Expected nothing after `list`'],
      [['monitor', 'uno', '--for', 'x'], 'number of seconds'],
    ] as const) {
      const { code, stderr } = await project.run('devices', ...args);
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(why) as string });
    }
  });

  it('refuses a name that nobody knows', async () => {
    const { code, stderr } = await project.run('devices', 'monitor', 'umo');
    expect(code).toBe(2);
    expect(stderr).toContain('`perdure.yml` names no device `umo`');
  });
});
