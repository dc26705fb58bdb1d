import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { choosePorts, startServer, stopServer } from '../src/workers/server/embedded-server.js';

const NO_PORTS = { grpc: null, ui: null, codec: null };

/** A server as ours is started, with its database in `stateDir`. */
export async function startOwnServer(
  program: string,
  stateDir: string,
): Promise<{ address: string; client: Client; close(): Promise<void> }> {
  await mkdir(join(stateDir, 'logs'), { recursive: true });
  const { ports } = await choosePorts(NO_PORTS, 1);
  const server = await startServer(program, stateDir, ports);
  const connection = await Connection.connect({ address: server.address });
  return {
    address: server.address,
    client: new Client({ connection }),
    close: async () => {
      await connection.close();
      await stopServer(server);
    },
  };
}
