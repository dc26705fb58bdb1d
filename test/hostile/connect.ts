import { Client, Connection } from '@temporalio/client';
import { OWN_SERVER } from '../../src/workers/connection/connect.js';
import type { Project } from '../faults/project.js';

/** A plain Temporal client on the server of a project: what anybody on this machine may have. */
export interface Outsider {
  client: Client;
  taskQueue: string;
  close(): Promise<void>;
}

/** Joins the server that `perdure server start` has started in the project. */
export async function connect(project: Project): Promise<Outsider> {
  const { stdout } = await project.run('server', 'status', '--json');
  const { address, taskQueue } = JSON.parse(stdout) as { address: string; taskQueue: string };
  const connection = await Connection.connect({ address, ...OWN_SERVER });
  return { client: new Client({ connection }), taskQueue, close: () => connection.close() };
}
