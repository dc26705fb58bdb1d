import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { outputAddress, removeLeftFolders } from '../../../src/activities/processes/launcher/output-folder.js';

let own: string;
/** Launchers of other tests look for what was left as well. */
beforeEach(async () => {
  own = await mkdtemp(join(tmpdir(), 'perdure-out-'));
  vi.stubEnv('TMPDIR', own);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(own, { recursive: true, force: true });
});

/** An address as a worker makes it, whose folder goes with the test. */
async function address(): Promise<string> {
  const made = await outputAddress();
  onTestFinished(() => rm(dirname(made), { recursive: true, force: true }));
  return made;
}

/** A folder whose socket's process was killed. */
async function leftFolder(): Promise<string> {
  const socket = await address();
  const listener = spawn(
    process.execPath,
    ['-e', 'require("node:net").createServer().listen(process.argv[1], () => console.log("listens"))', socket],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await once(listener.stdout, 'data');
  listener.kill('SIGKILL');
  await once(listener, 'close');
  return dirname(socket);
}

it('the folder of a launcher that was killed with its worker is removed', async () => {
  const folder = await leftFolder();
  expect(await readdir(folder)).toEqual(['output']);
  await removeLeftFolders();
  await expect(readdir(folder)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('the folder of a launcher that runs stays, and so does one that nobody listens in yet', async () => {
  const socket = await address();
  const early = dirname(await address());
  const server = createServer((stream) => stream.on('error', () => undefined)).listen(socket);
  await once(server, 'listening');
  await removeLeftFolders();
  expect((await stat(socket)).isSocket()).toBe(true);
  expect(await readdir(early)).toEqual([]);
  server.close();
});

it('a folder for output may be entered by its user only', async () => {
  const { mode } = await stat(dirname(await address()));
  expect(mode & 0o777).toBe(0o700);
});
