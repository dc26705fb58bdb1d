import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { claimFreePort } from '../src/workers/server/ports.js';

/** A server as Temporal's own documentation starts it, with a database file. */
export async function startStockServer(
  program: string,
  database: string,
): Promise<{ address: string; client: Client; close(): Promise<void> }> {
  const [{ port }, { port: uiPort }] = [await claimFreePort(null), await claimFreePort(null)];
  const child = spawn(
    program,
    [
      'server',
      'start-dev',
      '--db-filename',
      database,
      '--port',
      String(port),
      '--ui-port',
      String(uiPort),
      '--log-level',
      'error',
    ],
    { stdio: 'ignore' },
  );
  const address = `127.0.0.1:${port}`;
  const connection = await connect(address);
  return {
    address,
    client: new Client({ connection }),
    close: async () => {
      await connection.close();
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** The namespace is there a little after the port is. */
async function connect(address: string): Promise<Connection> {
  for (let tries = 0; ; tries++) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: 1000 });
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      return connection;
    } catch (error) {
      if (tries === 100) throw error;
      await pause(200);
    }
  }
}
