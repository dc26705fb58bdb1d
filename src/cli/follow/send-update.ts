import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { grpcTrouble } from '../grpc.js';

/** An update of a run, and what it is given. */
export interface Update<Given> {
  run: string;
  name: string;
  given: Given;
  /** The server answers an update of the same id as it answered the first. */
  id?: string;
}

/**
 * Sends an update and gives the run's answer. A workflow task that fails for no fault of the update's, as when a signal
 * came while the run continued as new, takes it along: the server does not send it again, so it is sent once more under
 * the same id.
 */
export async function sendUpdate<Answer, Given>(
  client: Pick<Client, 'workflow'>,
  { run, name, given, id = randomUUID() }: Update<Given>,
): Promise<Answer> {
  const send = (): Promise<Answer> =>
    client.workflow.getHandle(run).executeUpdate<Answer, [Given]>(name, { args: [given], updateId: id });
  return send().catch((error: unknown) => {
    if (grpcTrouble(error) !== 'not-ready') throw error;
    return send();
  });
}
