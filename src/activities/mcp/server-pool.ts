import { canonicalJson } from '../../plan/values/json.js';
import { filledValues } from '../../plan/tools/mcp-server.js';
import type { OpenServer, ServerPlace } from './open-server.js';
import { openServer } from './open-server.js';

/** A server that nobody has used for so long is ended. */
const IDLE_MS = 60_000;

interface Seat {
  server: Promise<OpenServer>;
  users: number;
  idle: NodeJS.Timeout | null;
}

const seats = new Map<string, Seat>();

/** The use of a server, shared with others of this process that use the same. */
export interface ServerUse {
  server: OpenServer;
  /** To be called at the end. `broken`: it is ended at once where nobody else uses it. */
  leave: (broken: boolean) => Promise<void>;
}

/** Takes a seat at a server: one connection for all calls of a worker with the same config and secrets. */
export async function useServer(place: ServerPlace): Promise<ServerUse> {
  const key = keyOf(place);
  const seat = await openSeat(key, place);
  seat.users += 1;
  if (seat.idle !== null) clearTimeout(seat.idle);
  seat.idle = null;
  try {
    const server = await seat.server;
    return { server, leave: (broken) => leave(key, seat, server, broken) };
  } catch (error) {
    seats.delete(key);
    throw error;
  }
}

async function openSeat(key: string, place: ServerPlace): Promise<Seat> {
  const known = seats.get(key);
  if (
    known !== undefined &&
    (await known.server.then(
      (server) => server.isOpen(),
      () => false,
    ))
  )
    return known;
  // Another call may have opened it meanwhile.
  const now = seats.get(key);
  if (now !== undefined && now !== known) return now;
  const seat: Seat = { server: openServer(place), users: 0, idle: null };
  seats.set(key, seat);
  return seat;
}

async function leave(key: string, seat: Seat, server: OpenServer, broken: boolean): Promise<void> {
  seat.users -= 1;
  if (seat.users > 0) return;
  const end = async (): Promise<void> => {
    if (seats.get(key) === seat) seats.delete(key);
    await server.close();
  };
  if (broken) return end();
  seat.idle = setTimeout(() => void end(), IDLE_MS).unref();
}

/** Secrets are part of it, so that one's connection is never another's; it stays in this process. */
function keyOf({ name, server, root, credentials, store }: ServerPlace): string {
  const filled = filledValues(server.kind === 'stdio' ? server.env : server.headers, credentials());
  return canonicalJson({ name, server: { ...server }, root, store, filled: 'values' in filled ? filled.values : null });
}

/** Ends every server of this process. */
export async function closeServers(): Promise<void> {
  const open = [...seats.values()];
  seats.clear();
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
