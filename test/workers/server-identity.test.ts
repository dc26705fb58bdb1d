import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { choosePorts, findServer, startServer } from '../../src/workers/embedded-server.js';
import { isRunning } from '../../src/workers/processes.js';
import { findTemporal } from '../../src/workers/temporal-binary.js';
import { newFolder } from './setting.js';

const NO_PORTS = { grpc: null, ui: null, codec: null };

function stateFolder(): string {
  const folder = newFolder();
  mkdirSync(join(folder, 'logs'));
  return folder;
}

it('the server of another project that took the port first is not taken for ours', async () => {
  const { path } = await findTemporal();
  const { ports } = await choosePorts(NO_PORTS, 1);
  const other = await startServer(path, stateFolder(), ports);
  const folder = stateFolder();
  await expect(startServer(path, folder, ports)).rejects.toThrow();
  expect(await findServer(folder)).toBeNull();
  expect(await isRunning(other.identity)).toBe(true);
});

it('a server is known again after a restart on the same database', async () => {
  const { path } = await findTemporal();
  const folder = stateFolder();
  const { ports } = await choosePorts(NO_PORTS, 1);
  const first = await startServer(path, folder, ports);
  process.kill(first.identity.pid, 'SIGKILL');
  while (await isRunning(first.identity)) await new Promise((resolve) => setImmediate(resolve));
  const second = await startServer(path, folder, (await choosePorts(NO_PORTS, 1)).ports);
  expect(await isRunning(second.identity)).toBe(true);
});
