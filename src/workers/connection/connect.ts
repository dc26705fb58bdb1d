import { connect } from 'node:net';
import { Connection } from '@temporalio/client';
import { messageOf, UnavailableError } from '../errors.js';
import type { TemporalSettings } from './temporal-settings.js';

/** Somebody takes the connection within so long, or the server counts as unreachable. */
export const REACH_MS = 4500;
/** So long has who took it to answer: a busy machine may stand still for seconds. */
const ANSWER_MS = 10_000;

/**
 * Back fast when a server of ours was started again; gRPC alone waits up to two minutes. And a page of history may have
 * more than gRPC's 4 MiB: the server counts its events, not its bytes, and anybody may send a run signals of nearly 2
 * MiB each.
 */
export const CHANNEL = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.max_receive_message_length': 128 * 1024 * 1024,
};

/**
 * To a server of ours: on this machine, so through no proxy that the environment names; and it has said that it is
 * there.
 */
export const OWN_SERVER = { connectTimeout: '30s', channelArgs: { ...CHANNEL, 'grpc.enable_http_proxy': 0 } } as const;

/**
 * Connects to a server elsewhere within fifteen seconds, and makes sure that the namespace is there. Throws an
 * UnavailableError.
 */
export async function reach(settings: TemporalSettings): Promise<Connection> {
  const { namespace } = settings;
  return open(settings, async ({ workflowService }) => void (await workflowService.describeNamespace({ namespace })));
}

/** The same whatever namespaces the server has. */
export async function reachServer(settings: TemporalSettings): Promise<Connection> {
  return open(settings, () => Promise.resolve());
}

async function open(
  { connection: options, address, namespace, source }: TemporalSettings,
  check: (connection: Connection) => Promise<void>,
): Promise<Connection> {
  const hint = `It comes from ${source}. Start it, correct the setting, or unset it to use Perdure's own server.`;
  const [, port = ''] = /:(\d+)$/.exec(address) ?? [];
  if (Number(port) > MOST_PORT)
    throw new UnavailableError(
      `Expected the address of a Temporal server with a port up to ${String(MOST_PORT)}, got \`${address}\`.`,
      hint,
    );
  const refusal = await refusalOf(address);
  if (refusal !== null)
    throw new UnavailableError(`The Temporal server at \`${address}\` is not reachable: ${refusal}`, hint);
  const connection = Connection.lazy({
    ...options,
    connectTimeout: ANSWER_MS,
    channelArgs: HERE.test(address) ? OWN_SERVER.channelArgs : CHANNEL,
  });
  try {
    await connection.withDeadline(Date.now() + ANSWER_MS, async () => {
      await connection.ensureConnected();
      await check(connection);
    });
    return connection;
  } catch (error) {
    void connection.close();
    const [why, how] = whyNot(messageOf(error), namespace);
    throw new UnavailableError(`The Temporal server at \`${address}\` ${why}`, how ?? hint);
  }
}

/** What a refusal of the server means, and what to do where that is not to name another server. */
function whyNot(message: string, namespace: string): [string, string?] {
  if (/NOT_FOUND/.test(message)) return [`has no namespace \`${namespace}\``, 'Make it: perdure setup'];
  if (/PERMISSION_DENIED|UNAUTHENTICATED/.test(message))
    return [
      `does not let this user into the namespace \`${namespace}\`: ${message}`,
      'The API key (TEMPORAL_API_KEY) or the client certificate (TEMPORAL_TLS_*) is of another one, or missing.',
    ];
  return [`is not reachable: ${message}`];
}

const MOST_PORT = 65_535;

/** Addresses of this machine. */
const HERE = /^(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?$/;

const REFUSALS: Record<string, string> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'there is no host of that name',
  EHOSTUNREACH: 'no way leads to that host',
  ENETUNREACH: 'no way leads to that network',
};

/** Why nobody can answer there, where the system knows at once; gRPC would try again until its time is up. */
function refusalOf(address: string): Promise<string | null> {
  const [, host, port] = /^(?:[a-z]+:\/\/)?\[?([^/\]]+?)\]?:(\d+)$/.exec(address) ?? [];
  if (host === undefined) return Promise.resolve(null);
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: REACH_MS });
    const end = (refusal: string | null): void => {
      socket.destroy();
      resolve(refusal);
    };
    socket
      .on('connect', () => end(null))
      .on('timeout', () => end(null))
      .on('error', (error: NodeJS.ErrnoException) => end(REFUSALS[error.code ?? ''] ?? null));
  });
}

/** The namespace of our own server. */
export const NAMESPACE = 'default';
