// @seconds 25
import { rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Connection } from '@temporalio/client';
import { expect, it, onTestFinished } from 'vitest';
import { grpcTrouble } from '../../../src/cli/grpc.js';
import { readHostFile } from '../../../src/workers/host/host-files.js';
import { findTemporal } from '../../../src/workers/temporal-binary/find.js';
import { packageRoot } from '../../../src/store/folders/package-root.js';
import type { TemporalLink } from '../../../src/workers/link/temporal-link.js';
import { openTemporal } from '../../../src/workers/link/temporal-link.js';
import { endWithEachTest, kill, leaveRun, newFolder, runsAt, waitFor } from '../helpers/setting.js';

endWithEachTest();

const MOVED = /^the Temporal server is at \S+ now$/;

/** A link whose host starts only while `mayStart` lies in the folder. */
async function heldBack(): Promise<{ stateDir: string; link: TemporalLink; mayStart: string; told: string[] }> {
  const stateDir = newFolder();
  const mayStart = join(newFolder(), 'may-start');
  writeFileSync(mayStart, '');
  const entry = join(newFolder(), 'entry.mjs');
  const host = pathToFileURL(join(packageRoot(), 'dist', 'workers', 'host-entry.js')).href;
  writeFileSync(
    entry,
    `import { existsSync } from 'node:fs';
while (!existsSync(${JSON.stringify(mayStart)})) await new Promise((resolve) => setTimeout(resolve, 10));
await import(${JSON.stringify(host)});
`,
  );
  const told: string[] = [];
  const onProgress = (line: string): void => void told.push(line);
  const opening = { project: { stateDir }, config: {}, start: true, onProgress, credentials: () => ({}), entry };
  const link = await openTemporal(opening);
  onTestFinished(() => link.close());
  return { stateDir, link, mayStart, told };
}

/** Kills the host and its server, and keeps the next host from starting. */
async function strike({ stateDir, mayStart, told }: Awaited<ReturnType<typeof heldBack>>): Promise<string> {
  const file = await readHostFile(stateDir);
  const ends = (): number => told.filter((line) => line.startsWith('the host ended')).length;
  const before = ends();
  rmSync(mayStart);
  kill(file?.host.pid);
  kill(file?.server?.pid);
  await waitFor('the end of the host', () => ends() > before);
  return `127.0.0.1:${String(file?.ports?.grpc)}`;
}

it('a call waits while the host is away, and is answered by the server that comes back', async () => {
  const held = await heldBack();
  const address = await strike(held);
  const started = leaveRun(held.link, 'kept');
  writeFileSync(held.mayStart, '');
  await started;
  // What is listed follows what was started by a moment.
  await waitFor('the run', async () => (await runsAt(held.link)).includes('kept'));
  expect((await readHostFile(held.stateDir))?.ports?.grpc).toBe(Number(address.split(':')[1]));
});

it('no call reaches the server of somebody else that took the address meanwhile', async () => {
  const held = await heldBack();
  const address = await strike(held);
  const other = spawn(
    (await findTemporal({ onProgress: () => undefined })).path,
    [
      'server',
      'start-dev',
      '--headless',
      '--ip',
      '127.0.0.1',
      '--port',
      address.split(':')[1] ?? '',
      '--log-level',
      'never',
    ],
    { stdio: 'ignore' },
  );
  onTestFinished(() => void other.kill('SIGKILL'));
  const connection = await waitFor('the other server', () => Connection.connect({ address }).catch(() => null));
  onTestFinished(() => connection.close());
  const ends = leaveRun(held.link, 'acknowledged').then(
    () => 'was taken',
    (error: unknown) => grpcTrouble(error),
  );
  writeFileSync(held.mayStart, '');
  expect(await ends).toBe('connection-lost');
  expect(await leaveRun(held.link, 'later').catch((error: unknown) => grpcTrouble(error))).toBe('connection-lost');
  // Also once the host has come back where it came back before.
  await strike(held);
  writeFileSync(held.mayStart, '');
  await waitFor('the host at its new address', () => held.told.filter((line) => MOVED.test(line)).length === 2);
  expect(await leaveRun(held.link, 'last').catch((error: unknown) => grpcTrouble(error))).toBe('connection-lost');
  const { count } = await connection.workflowService.countWorkflowExecutions({ namespace: 'default' });
  expect(Number(count)).toBe(0);
});
