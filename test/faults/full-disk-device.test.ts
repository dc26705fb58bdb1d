// @module-tag avrdude
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startBoard } from '../../src/activities/devices/board/board.js';
import { closeBoards, bytesOfPages, hexOf } from '../devices/boards.js';
import { openFullDisk } from './full-disk.js';
import { openProject, until } from './project.js';

closeBoards();

it('a disk that is full where devices are noted, and freed later: the run waits, the board has the image', async () => {
  let began = 0;
  const board = await startBoard({
    port: 0,
    memoryFile: null,
    fault: null,
    idle: true,
    onEvent: () => {
      began += 1;
    },
  });
  onTestFinished(() => board.close());
  const disk = await openFullDisk();
  onTestFinished(() => disk.close());
  const image = bytesOfPages(4, 1);
  const project = await openProject(
    {
      'perdure.yml': JSON.stringify({ devices: { uno: { kind: 'avr-arduino', port: `net:127.0.0.1:${board.port}` } } }),
      'image.hex': hexOf(image),
      'flash.yml': JSON.stringify({
        name: 'flash',
        steps: [{ id: 'flash', flash: { device: 'uno', image: 'image.hex' } }],
      }),
    },
    disk.env,
  );
  onTestFinished(() => project.close());
  expect((await project.run('list')).code).toBe(0);
  disk.fill('/\\.perdure/devices/');
  const running = project.start('run', 'flash.yml', '--id', 'flash', '--yes', '--json');
  await until(() => disk.hits() >= 2 || running.process.exitCode !== null);
  disk.free();
  const end = await running.finished;
  expect(end.code, `${end.stdout}${end.stderr}`).toBe(0);
  expect(began).toBeGreaterThan(0);
  expect(Buffer.from(board.flash.slice(0, image.length)).equals(image)).toBe(true);
  expect(readdirSync(join(project.folder, '.perdure', 'devices'))).not.toEqual([]);
});
