// @module-tag sandbox
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sandboxProgram } from '../../../src/store/git/enclosure.js';
import { isRunning } from '../../../src/workers/processes/processes.js';
import { endStrayServers, findServer } from '../../../src/workers/server/embedded-server.js';
import { serverArguments } from '../../../src/workers/server/server-command.js';

/** What has a server's command line, and its database open. */
const SERVER = `require('node:fs').openSync(process.argv[process.argv.indexOf('--db-filename') + 1], 'a'); console.log(
process.pid); setInterval(() => {}, 1000)`;
const PORTS = { grpc: 1, ui: 2, codec: 3 };

let folder: string;
const started: ChildProcess[] = [];
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'perdure-view-')));
  for (const name of ['one', 'other']) mkdirSync(join(folder, name));
});
afterEach(() => {
  for (const process of started.splice(0)) process.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Starts one of a folder; `seenAs` is where it sees that, as in a container. */
async function startIn(name: string, seenAs = name): Promise<ChildProcess> {
  const [real, seen] = [join(folder, name), join(folder, seenAs)];
  // By its environment, so that the sandbox has no command line of a server.
  const words = serverArguments(join(seen, 'temporal.db'), PORTS, '127.0.0.1').join(' ');
  const view = ['--die-with-parent', '--dev-bind', '/', '/', '--bind', real, seen, '--'];
  const server = spawn(sandboxProgram() ?? '', [...view, 'sh', '-c', 'exec node -e "$SERVER" -- $WORDS'], {
    env: { ...process.env, SERVER, WORDS: words },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  started.push(server);
  await new Promise((resolve) => {
    server.stdout.once('data', resolve);
  });
  return server;
}

it('the server of another project that a container has at the same path is neither ended nor joined', async () => {
  const theirs = await startIn('other', 'one');
  for (const isMade of [false, true]) {
    if (isMade) writeFileSync(join(folder, 'one', 'temporal.db'), '');
    expect(await endStrayServers(join(folder, 'one'))).toBe(0);
    expect(await findServer(join(folder, 'one'))).toBeNull();
  }
  expect(theirs.exitCode).toBeNull();
  const found = await findServer(join(folder, 'other'));
  expect(found).toBeNull(); // it has another name there
  expect(await endStrayServers(join(folder, 'other'))).toBe(1);
});

it('our own server is joined where it runs in a container, and ended where its database was removed', async () => {
  await startIn('one');
  const found = await findServer(join(folder, 'one'));
  expect(found).toMatchObject({ ports: PORTS });
  rmSync(join(folder, 'one', 'temporal.db'));
  expect(await endStrayServers(join(folder, 'one'))).toBe(1);
  expect(found !== null && (await isRunning(found.identity))).toBe(false);
});
