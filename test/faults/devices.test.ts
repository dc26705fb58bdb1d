// @module-tag avrdude
// @seconds 35
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Board } from '../../src/activities/devices/board/board.js';
import { startBoard } from '../../src/activities/devices/board/board.js';
import type { ListedDevice } from '../../src/cli/devices/list-devices.js';
import type { ListedRun } from '../../src/cli/observe/list-runs.js';
import { closeBoards, bytesOfPages, connectionsTo, hexOf } from '../devices/boards.js';
import type { Project } from './project.js';
import { kill, openProject, until } from './project.js';
import { FULL, random } from './seed.js';

closeBoards();

/**
 * Runs that want the board at once, and how often a worker is killed until all have had it: 30 times with `npm run
 * test:full`.
 */
const [ROUNDS, RUNS, KILLS] = FULL ? [10, 10, 3] : [1, 3, 1];
const PAGES = 24;
/** The first is that of the run which has the board until all others wait. */
const IMAGES = Array.from({ length: RUNS + 1 }, (_, seed) => bytesOfPages(PAGES, seed));

let board: Board;
let project: Project;
let most = 0;
/** Of this round: pages that were written, and the images as the first page of each came. */
let written = 0;
let served: number[] = [];

beforeAll(async () => {
  board = await startBoard({
    port: 0,
    memoryFile: null,
    fault: null,
    idle: true,
    onEvent: (event) => {
      most = Math.max(most, connectionsTo(board));
      if (event !== 'write') return;
      written += 1;
      const image = IMAGES.findIndex((bytes) => Buffer.from(board.flash.slice(0, 128)).equals(bytes.slice(0, 128)));
      if (!served.includes(image)) served.push(image);
    },
  });
  const flash = (image: number): { id: string; flash: Record<string, string> } => ({
    id: `flash${image}`,
    flash: { device: 'uno', image: `image${image}.hex` },
  });
  const wait = {
    id: 'wait',
    command: ['sh', '-c', 'touch flashed; until [ -e go ]; do sleep 0.05; done'],
    timeout: '1h',
  };
  project = await openProject({
    'perdure.yml': JSON.stringify({ devices: { uno: { kind: 'avr-arduino', port: `net:127.0.0.1:${board.port}` } } }),
    'holds.yml': JSON.stringify({
      name: 'holds',
      steps: [flash(0), wait, { serial: { device: 'uno', timeout: '1s' } }],
    }),
    ...Object.fromEntries(
      IMAGES.flatMap((bytes, image) => [
        [`image${image}.hex`, hexOf(bytes)],
        [`flash${image}.yml`, JSON.stringify({ name: `flash${image}`, steps: [flash(image)] })],
      ]),
    ),
  });
});
afterAll(async () => {
  await project.close();
  await board.close();
});

const holds = (image: number): boolean => Buffer.from(board.flash.slice(0, PAGES * 128)).equals(IMAGES[image]!);

const go = (): string => join(project.folder, 'go');
const flashed = (): string => join(project.folder, 'flashed');

async function uno(): Promise<ListedDevice> {
  return (JSON.parse((await project.run('devices', 'list', '--json')).stdout) as ListedDevice[])[0]!;
}

/** Has so many runs wait for the board, and lets them have it. Gives their images in the order in which they wait. */
async function queueUp(round: number): Promise<number[]> {
  await Promise.all([go(), flashed()].map((file) => rm(file, { force: true })));
  await project.run('run', 'holds.yml', '--id', `holds-${round}`, '--detach', '--unattended');
  // That it keeps the board it says between two tries as well.
  await until(async () => existsSync(flashed()) && (await uno()).kept_by === `holds-${round}`);
  [written, served] = [0, []];
  const images = IMAGES.map((_, image) => image).slice(1);
  for (const { code, stderr } of await Promise.all(
    images.map((image) =>
      project.run('run', `flash${image}.yml`, '--id', `round-${round}-${image}`, '--detach', '--unattended'),
    ),
  ))
    expect(code, stderr).toBe(0);
  const { waiting } = await until(async () => {
    const listed = await uno();
    return listed.waiting.length === RUNS ? listed : null;
  });
  await writeFile(go(), '');
  return waiting.map(({ run }) => Number(run.split('-').at(-1)));
}

/** The runs of a round that waited, once each has come to an end. */
function ended(round: number): Promise<ListedRun[]> {
  return until(async () => {
    const runs = (JSON.parse((await project.run('list', '--json')).stdout) as ListedRun[]).filter(
      ({ run, ended_at }) => run.startsWith(`round-${round}-`) && ended_at !== null,
    );
    return runs.length === RUNS ? runs : null;
  });
}

describe('a worker that is killed while runs have a board and wait for it', () => {
  it(
    `never leaves two open ports, a run without an end or out of its turn, or a success with a wrong image ` +
      `(${ROUNDS * KILLS} times, ${RUNS} runs)`,
    { timeout: FULL ? 3_600_000 : 600_000 },
    async () => {
      const draw = random('killed while flashing');
      for (let round = 0; round < ROUNDS; round += 1) {
        const order = await queueUp(round);
        // Each kill costs one run its image at most: so many pages come in any case.
        const strikes = Array.from({ length: KILLS }, () => Math.floor(draw() * PAGES * (RUNS - KILLS))).sort(
          (a, b) => a - b,
        );
        for (const strike of strikes) {
          await until(() => written >= strike);
          kill((await project.pids()).host ?? 0);
          expect((await project.run('server', 'start')).code).toBe(0);
        }
        const last = order.at(-1)!;
        if ((await project.run('watch', `round-${round}-${last}`)).code === 0) expect(holds(last)).toBe(true);
        for (const { run, status } of await ended(round)) {
          // What was cut off holds neither image; a run that asks nobody gives up, and says so.
          if (status !== 'success') expect((await project.run('watch', run)).stderr).toMatch(/holds\s+neither/);
        }
        expect(most).toBe(1);
        expect(served).toEqual(order);
        if (FULL) console.log(`round ${round}: killed at pages ${strikes.join(' ')}, served ${served.join(' ')}`);
      }
      const again = await project.run('run', 'flash1.yml', '--unattended');
      expect(again.code, again.stderr).toBe(0);
      expect(holds(1)).toBe(true);
    },
  );
});
