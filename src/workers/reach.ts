import { Connection } from '@temporalio/client';
import { messageOf, UnavailableError } from './errors.js';
import type { TemporalSettings } from './temporal-settings.js';

/** The server answers within so long, or it counts as unreachable. */
export const REACH_MS = 4500;
/**
 * Back fast when a server of ours was started again; gRPC alone waits up to two minutes. And a page of history may have more than
 * gRPC's 4 MiB: the server counts its events, not its bytes, and anybody may send a run signals of nearly 2 MiB each.
 */
export const CHANNEL = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.max_receive_message_length': 128 * 1024 * 1024,
};

/** Connects to a server elsewhere within five seconds, and makes sure that the namespace is there. Throws an UnavailableError. */
export async function reach({ connection: options, address, namespace, source }: TemporalSettings): Promise<Connection> {
  const connection = Connection.lazy({ ...options, connectTimeout: REACH_MS, channelArgs: CHANNEL });
  try {
    await connection.withDeadline(Date.now() + REACH_MS, async () => {
      await connection.ensureConnected();
      await connection.workflowService.describeNamespace({ namespace });
    });
    return connection;
  } catch (error) {
    void connection.close();
    const why = /NOT_FOUND/.test(messageOf(error)) ? `has no namespace \`${namespace}\`` : `is not reachable: ${messageOf(error)}`;
    throw new UnavailableError(`The Temporal server at \`${address}\` ${why}`, `It comes from ${source}. Start it, correct the setting, or unset it to use Perdure's own server.`);
  }
}
