import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { choosePorts, startServer, stopServer } from '../src/workers/server/embedded-server.js';

const NO_PORTS = { grpc: null, ui: null, codec: null };

export interface OwnServer {
  address: string;
  client: Client;
  /** CPU time of all its threads since it started, in milliseconds. Linux only. */
  cpu: () => Promise<number>;
  close(): Promise<void>;
}

/** What Linux counts CPU time in. */
const TICK_MS = 10;

/** A server as ours is started, with its database in `stateDir`. */
export async function startOwnServer(program: string, stateDir: string): Promise<OwnServer> {
  await mkdir(join(stateDir, 'logs'), { recursive: true });
  const { ports } = await choosePorts(NO_PORTS, 1);
  const server = await startServer(program, stateDir, ports);
  const connection = await Connection.connect({ address: server.address });
  return {
    address: server.address,
    client: new Client({ connection }),
    cpu: async () => {
      // After the program's name, which may hold anything: the 14th and 15th field of proc(5).
      const stat = await readFile(`/proc/${server.identity.pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    },
    close: async () => {
      await connection.close();
      await stopServer(server);
    },
  };
}
