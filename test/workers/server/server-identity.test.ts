// @seconds 15
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, it, vi } from 'vitest';
import { choosePorts, findServer, serverLog, startServer } from '../../../src/workers/server/embedded-server.js';
import { isRunning } from '../../../src/workers/processes/processes.js';
import { findTemporal } from '../../../src/workers/temporal-binary/find.js';
import { endWithEachTest, newFolder } from '../helpers/setting.js';

endWithEachTest();

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

it('a server that wants a user with an entry in passwd is told of in one sentence', async () => {
  const folder = stateFolder();
  const program = join(folder, 'temporal');
  const said = `{"msg":"${'x'.repeat(4_000)}","error":"user: unknown userid 12345"}`;
  writeFileSync(program, `#!/bin/sh\necho '${said}'\n[ -n "$USER" ] && exit 1\n`, { mode: 0o755 });
  await expect(startServer(program, folder, (await choosePorts(NO_PORTS, 1)).ports)).rejects.toMatchObject({
    message: 'The Temporal server does not start for user 12345, who has no entry in /etc/passwd.',
  });
});

it('a server takes the settings that its queues and its columns have from us', async () => {
  const { path } = await findTemporal();
  const folder = stateFolder();
  const { address } = await startServer(path, folder, (await choosePorts(NO_PORTS, 1)).ports);
  const metrics = await vi.waitUntil(() => /http:\/\/\S+\/metrics/.exec(readFileSync(serverLog(folder), 'utf8'))?.[0], {
    timeout: 90_000,
  });
  const connection = await Connection.connect({ address });
  const { workflow } = new Client({ connection });
  const start = async (): Promise<unknown> => workflow.start('any', { taskQueue: 'nobody', workflowId: randomUUID() });
  const started = async (): Promise<number> =>
    counted(metrics, 'service_requests', 'operation="StartWorkflowExecution",service_name="history"');
  const askedForColumns = async (): Promise<number> =>
    counted(metrics, 'persistence_requests', 'operation="GetCurrentClusterMetadata"');

  // The server starts workflows of its own, and looks at its columns once a minute.
  await start();
  await expect.poll(started).toBeGreaterThan(0);
  const [startedBefore, askedBefore] = [await started(), await askedForColumns()];
  for (let more = 0; more < 20; more++) await start();
  await expect.poll(started).toBeGreaterThan(startedBefore + 19);
  expect((await askedForColumns()) - askedBefore).toBeLessThan(10);

  // The queue of timers has the usual interval of 30 s, and the others one of a second.
  const told = async (queue: string): Promise<number> =>
    counted(metrics, 'ack_level_update', `operation="${queue}QueueProcessor"`);
  for (const queue of ['Transfer', 'Visibility'])
    await expect.poll(async () => (await told(queue)) - 5 * (await told('Timer'))).toBeGreaterThan(5);
  await connection.close();
});

/** What a server counted, of all whose labels contain these. */
async function counted(metrics: string, name: string, labels: string): Promise<number> {
  const lines = (await (await fetch(metrics)).text())
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && line.includes(labels));
  return lines.reduce((sum, line) => sum + Number(line.split('} ')[1]), 0);
}
