import { canonicalJson } from '../../plan/values/json.js';
import { filledValues, valuesOf } from '../../plan/tools/mcp-server.js';
import type { OpenServer, ServerPlace } from './open-server.js';
import { openServer } from './open-server.js';

/** A server that nobody has used for so long is ended. */
const IDLE_MS = 60_000;

interface PooledServer {
  server: Promise<OpenServer>;
  users: number;
  idle: NodeJS.Timeout | null;
  /** It is used by no more calls, and ended with the last of those that use it. */
  isLeft: boolean;
}

const pool = new Map<string, PooledServer>();
/** Servers that still have users and are in the pool no more. */
const left = new Set<PooledServer>();

/** The use of a server, shared with others of this process that use the same. */
export interface ServerUse {
  server: OpenServer;
  /** To be called at the end. `broken`: nobody else joins it, and it is ended with the last who uses it. */
  leave: (broken: boolean) => Promise<void>;
}

/** Joins a server of the pool: one connection for all calls of a worker with the same config and secrets. */
export async function useServer(place: ServerPlace): Promise<ServerUse> {
  const key = keyOf(place);
  let pooled = await openPooled(key, place);
  // Another call may have left it meanwhile.
  while (pooled.isLeft) pooled = await openPooled(key, place);
  pooled.users += 1;
  if (pooled.idle !== null) clearTimeout(pooled.idle);
  pooled.idle = null;
  try {
    const server = await pooled.server;
    const used = pooled;
    return { server, leave: (broken) => leave(key, used, server, broken) };
  } catch (error) {
    pool.delete(key);
    throw error;
  }
}

async function openPooled(key: string, place: ServerPlace): Promise<PooledServer> {
  const known = pool.get(key);
  if (
    known !== undefined &&
    (await known.server.then(
      (server) => server.isOpen(),
      () => false,
    ))
  )
    return known;
  // Another call may have opened it meanwhile.
  const now = pool.get(key);
  if (now !== undefined && now !== known) return now;
  const pooled: PooledServer = { server: openServer(place), users: 0, idle: null, isLeft: false };
  pool.set(key, pooled);
  return pooled;
}

async function leave(key: string, pooled: PooledServer, server: OpenServer, broken: boolean): Promise<void> {
  pooled.users -= 1;
  const takeOut = (): void => {
    pooled.isLeft = true;
    left.add(pooled);
    if (pool.get(key) === pooled) pool.delete(key);
  };
  const end = async (): Promise<void> => {
    takeOut();
    await server.close();
    left.delete(pooled);
  };
  if (broken) takeOut();
  if (pooled.users > 0) return;
  if (pooled.isLeft) return end();
  pooled.idle = setTimeout(() => void end(), IDLE_MS).unref();
}

/** Secrets are part of it, so that one's connection is never another's; it stays in this process. */
function keyOf({ name, server, root, credentials, store }: ServerPlace): string {
  const filled = filledValues(valuesOf(server), credentials());
  return canonicalJson({ name, server: { ...server }, root, store, filled: 'values' in filled ? filled.values : null });
}

/** Ends every server of this process. */
export async function closeServers(): Promise<void> {
  const open = [...pool.values(), ...left];
  pool.clear();
  left.clear();
  await Promise.all(
    open.map(async ({ server, idle }) => {
      if (idle !== null) clearTimeout(idle);
      await server.then(
        (one) => one.close(),
        () => undefined,
      );
    }),
  );
}
