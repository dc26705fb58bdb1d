// @module-tag avrdude
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Board } from '../../src/activities/devices/board/board.js';
import type { ListedDevice } from '../../src/cli/devices/list-devices.js';
import type { Project, Running } from '../faults/project.js';
import { kill, openProject, until } from '../faults/project.js';
import { closeBoards, boardFor, bytesOfPages, hexOf } from './boards.js';

closeBoards();

const PAGES = 40;
const IMAGE = bytesOfPages(PAGES, 1);
/** Longer than what history takes. */
const LONG = 'tick '.repeat(200);

let board: Board;
let written = 0;
let home: Project;
let lab: Project;
let worker: Running;

/** A server with a worker and a store, and a host with a board, a store and a folder of its own. */
beforeAll(async () => {
  board = await boardFor('', {
    onEvent: (event) => {
      if (event === 'write') written += 1;
    },
  });
  const uno = { kind: 'avr-arduino', port: `net:127.0.0.1:${board.port}`, task_queue: 'lab' };
  home = await openProject({
    'perdure.yml': JSON.stringify({ devices: { uno } }),
    'image.hex': hexOf(IMAGE),
    'flash.yml': JSON.stringify({
      name: 'flash',
      steps: [{ id: 'flash', flash: { device: 'uno', image: 'image.hex' } }],
    }),
    'listen.yml': JSON.stringify({
      name: 'listen',
      steps: [{ id: 'listen', serial: { device: 'uno', expect: 'end', timeout: '60s' } }],
      output: '${steps.listen.output}',
    }),
  });
  // refused, as nobody polls the queue; its host is there now
  await home.run('run', 'flash.yml', '--rehearse', '--unattended');
  const { grpc } = await until(
    async () => (JSON.parse((await home.read('.perdure/host.json')) || '{}') as { ports?: { grpc: number } }).ports,
  );
  lab = await openProject(
    { 'perdure.yml': JSON.stringify({ task_queue: 'lab', devices: { uno } }) },
    { TEMPORAL_ADDRESS: `127.0.0.1:${grpc}` },
  );
  worker = await startWorker();
});
afterAll(async () => {
  worker.process.kill('SIGTERM');
  await worker.finished;
  await lab.close();
  await home.close();
});

async function startWorker(): Promise<Running> {
  const running = lab.start('worker');
  let told = '';
  running.process.stderr?.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  await until(() => told.includes('Ready:') || running.process.exitCode !== null);
  expect(told).toMatch(/task queue lab .*devices uno/);
  return running;
}

/** What a project says of the board. */
async function uno(project: Project): Promise<ListedDevice> {
  const { stdout } = await project.run('devices', 'list', '--json');
  return (JSON.parse(stdout) as ListedDevice[])[0]!;
}

async function finding(project: Project): Promise<{ ok: boolean; detail: string; fix: string | null }> {
  const { findings } = JSON.parse((await project.run('doctor', '--json')).stdout) as {
    findings: { name: string; ok: boolean; detail: string; fix: string | null }[];
  };
  return findings.find(({ name }) => name === 'device uno')!;
}

const port = (): string => `net:127.0.0.1:${board.port}`;

describe('a device that hangs on another host', () => {
  it('gets an image that only the run’s own host has, and that host gets the log', async () => {
    const { code, stderr } = await home.run('run', 'flash.yml', '--id', 'first', '--unattended');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(Buffer.from(board.flash.slice(0, IMAGE.length)).equals(IMAGE)).toBe(true);
    expect((await home.run('logs', 'first')).stdout).toContain('bytes of flash verified');
    expect([home, lab].map(({ folder }) => existsSync(join(folder, '.perdure', 'devices', 'uno.json')))).toEqual([
      false,
      true,
    ]);
  });

  it('is listened to there, however much it says', async () => {
    const run = home.run('run', 'listen.yml', '--unattended');
    const speak = setInterval(() => {
      if (board.open() > 0) board.say(`${LONG}end\n`);
    }, 100);
    const { code, stdout, stderr } = await run;
    clearInterval(speak);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(LONG);
  });

  it('is told of as its host sees it, on both hosts', async () => {
    await expect
      .poll(() => uno(home))
      .toMatchObject({
        port: port(),
        found: true,
        problem: null,
        task_queue: 'lab',
        served: true,
      });
    await expect.poll(() => uno(lab)).toMatchObject({ port: port(), found: true, task_queue: 'lab', served: null });
    await expect
      .poll(() => finding(home))
      .toMatchObject({
        ok: true,
        detail: `avr-arduino uno at ${port()} (on the host of lab)`,
        fix: null,
      });
    await expect
      .poll(() => finding(lab))
      .toMatchObject({ ok: true, detail: `avr-arduino uno at ${port()}`, fix: null });
  });

  it('is looked at when its worker was killed while it flashed; meanwhile nobody hears that all is well', async () => {
    const before = written;
    await home.run('run', 'flash.yml', '--id', 'second', '--detach');
    await until(() => written > before + 2);
    kill(worker.process.pid ?? 0);
    const [listed, found] = await Promise.all([uno(home), finding(home)]);
    expect(listed).toMatchObject({ found: null, served: false, holder: { run: 'second', path: 'flash' } });
    expect(found).toMatchObject({
      ok: false,
      detail: 'hangs on the host whose workers poll lab; none of them answers',
      fix: 'Start one there: perdure worker --task-queue lab',
    });
    worker = await startWorker();
    // Half an image is neither the new one nor the last good one; a whole one is both.
    const { code, stderr } = await home.run('watch', 'second', '--no-wait');
    if (code === 4) expect((await home.run('answer', 'second/flash', 'retry', '--as', 'ana')).code, stderr).toBe(0);
    expect((await home.run('watch', 'second')).code).toBe(0);
    expect(Buffer.from(board.flash.slice(0, IMAGE.length)).equals(IMAGE)).toBe(true);
    await expect.poll(() => uno(home)).toMatchObject({ found: true, served: true });
  });
});
