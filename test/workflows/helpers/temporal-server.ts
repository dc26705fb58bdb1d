import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { claimFreePort, LOOPBACK } from '../../../src/workers/server/ports.js';
import { findTemporal } from '../../../src/workers/temporal-binary/find.js';

/** A Temporal server of one test file. */
export interface TemporalServer extends Pick<TestWorkflowEnvironment, 'client' | 'nativeConnection' | 'address'> {
  close(): Promise<void>;
}

/**
 * Starts a server that keeps all in memory; `more` are arguments of its own. The SDK starts such servers as well, and
 * gives up after five seconds: on a busy machine they take longer. Nobody else takes its port meanwhile.
 */
export async function startTemporal(more: string[] = []): Promise<TemporalServer> {
  const { path } = await findTemporal();
  const { port, release } = await claimFreePort(null);
  const child = spawn(
    path,
    [
      ...['server', 'start-dev', '--headless', '--ip', LOOPBACK, '--port', String(port), '--log-level', 'error'],
      ...['--dynamic-config-value', 'frontend.enableServerVersionCheck=false', ...more],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = once(child, 'close');
  const address = `${LOOPBACK}:${String(port)}`;
  const isUp = (): Promise<boolean> =>
    Connection.connect({ address }).then(
      async (connection) => {
        await connection.close();
        return true;
      },
      () => false,
    );
  while (!(await isUp())) {
    const end = child.exitCode ?? child.signalCode;
    if (end !== null) throw new Error(`The Temporal server ended with ${String(end)}`);
    await pause(50);
  }
  const environment = await TestWorkflowEnvironment.createFromExistingServer({ address });
  const { client, nativeConnection } = environment;
  return {
    client,
    nativeConnection,
    address,
    close: async () => {
      await environment.teardown();
      child.kill('SIGKILL');
      await ended;
      release();
    },
  };
}
