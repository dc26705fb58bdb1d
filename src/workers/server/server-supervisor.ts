import { stat, copyFile, truncate } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Env } from '../../store/cache-folder.js';
import type { CodecServer } from './codec-server.js';
import {
  arePortsFree,
  arePortsFreeAgain,
  choosePorts,
  endStrayServers,
  findServer,
  holdPorts,
  serverLog,
  settled,
  startServer,
  USUAL_PORTS,
  whenGone,
} from './embedded-server.js';
import type { EmbeddedServer, HeldPorts, WantedPorts } from './embedded-server.js';
import { UnavailableError } from '../errors.js';
import type { Progress } from '../temporal-binary/progress.js';
import type { ServerPorts } from './server-command.js';
import { checkDatabase, DiskFullError, requireUnlinked } from './server-database.js';
import { findTemporal } from '../temporal-binary/find.js';

export interface SupervisorOptions {
  stateDir: string;
  env: Env;
  uiPort: number | null;
  /** Ports of the last server here. */
  last: ServerPorts | null;
  onProgress: Progress;
  signal: AbortSignal;
  /** Opens the codec endpoint before the server, which is told its address. */
  openCodec: (wanted: number | null) => Promise<CodecServer>;
  /** Called for every server that has become healthy. */
  onServer: (server: EmbeddedServer) => Promise<void>;
}

/** A server that is started again when it ends by itself. */
export interface SupervisedServer {
  current: () => EmbeddedServer;
  restarts: () => number;
  /** Rejects with an UnavailableError when starting it again is of no use. */
  failed: Promise<never>;
  /** From now on its end is wanted. */
  release: () => void;
}

/** More ends in a minute than this are no accidents. */
const RESTARTS_A_MINUTE = 5;
const MINUTE = 60_000;
const PORTS_MS = 10_000;
const ROOM_MS = 1_000;
const LOG_BYTES = 8 * 1024 * 1024;
/** What the server says of a port that it cannot have. */
const PORT_TAKEN = 'address already in use';
const START_TRIES = 5;

/**
 * Joins the live server of a state folder or starts one, and keeps one running on its ports. The caller holds the
 * host's lock.
 */
export async function superviseServer(options: SupervisorOptions): Promise<SupervisedServer> {
  const first = (await joinServer(options)) ?? (await startFirst(options));
  let { server } = first;
  await options.onServer(server);
  const released = new AbortController();
  const ends: number[] = [];
  const supervise = async (): Promise<never> => {
    for (;;) {
      await whenGone(server, released.signal);
      ends.push(Date.now());
      options.onProgress('the Temporal server ended by itself; starting it again');
      if (ends.filter((end) => Date.now() - end < MINUTE).length > RESTARTS_A_MINUTE) {
        throw new UnavailableError(
          `The Temporal server ended ${String(RESTARTS_A_MINUTE + 1)} times in a minute.`,
          `Its log is ${serverLog(options.stateDir)}`,
        );
      }
      server = await whenThereIsRoom(options, released.signal, () => restart(server.ports, options, released.signal));
      await options.onServer(server);
    }
  };
  const capLog = setInterval(() => void cap(serverLog(options.stateDir)).catch(() => {}), MINUTE);
  capLog.unref();
  const failed = supervise();
  // Whoever races on it sees its failure; a release is none.
  failed.catch(() => {});
  return {
    current: () => server,
    restarts: () => ends.length,
    failed,
    release: () => {
      clearInterval(capLog);
      released.abort();
      first.held.release();
    },
  };
}

/** A server, and its ports for as long as it may have to be started again. */
interface FirstServer {
  server: EmbeddedServer;
  held: HeldPorts;
}

async function joinServer({ stateDir, onProgress, openCodec }: SupervisorOptions): Promise<FirstServer | null> {
  requireUnlinked(stateDir); // before the other folder's server is taken for a stray one
  const strays = await endStrayServers(stateDir);
  if (strays > 0) onProgress(`ended ${String(strays)} Temporal server that had this database open at another place`);
  const server = await findServer(stateDir);
  if (server === null) return null;
  onProgress(`joining the Temporal server that runs at ${server.address}`);
  const codec = await openCodec(server.ports.codec);
  if (codec.port !== server.ports.codec)
    onProgress(`port ${String(server.ports.codec)} is taken: the Web UI cannot show stored values`);
  await settled(server, stateDir);
  return { server, held: await holdPorts(server.ports) };
}

async function startFirst({
  stateDir,
  env,
  uiPort,
  last,
  onProgress,
  signal,
  openCodec,
}: SupervisorOptions): Promise<FirstServer> {
  // Before the minutes that a build may take.
  const aside = await checkDatabase(stateDir);
  if (aside !== null)
    onProgress(
      `a server was killed while it made its database; what was there is \`${aside}\` now, nothing was removed`,
    );
  const { path } = await findTemporal({ env, onProgress, signal });
  const wanted: WantedPorts = { ...USUAL_PORTS, ...last, ...(uiPort === null ? {} : { ui: uiPort }) };
  const codec = await openCodec(wanted.codec);
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted();
    // Those who took the usual ports once may be many who start at this moment: from then on the system chooses.
    const held = await choosePorts(tries === 1 ? wanted : { ...wanted, grpc: null, ui: uiPort }, codec.port);
    const { ports } = held;
    try {
      if (uiPort !== null && ports.ui !== uiPort)
        throw new UnavailableError(
          `Port ${String(uiPort)} for the Web UI is taken.`,
          'Choose another one with --ui-port.',
        );
      onProgress('starting the Temporal server');
      return { server: await startServer(path, stateDir, ports), held };
    } catch (error) {
      held.release();
      // Somebody took a port between our look and the server's, and may have left it again since.
      const wasTaken = lostPort(error) || !(await arePortsFree(ports));
      if (tries === START_TRIES || !wasTaken) throw error;
    }
  }
}

/**
 * Tells whether a server ended because a port was taken: one of its own, or one that it chose for what it does inside.
 */
function lostPort(error: unknown): boolean {
  return error instanceof Error && error.message.includes(PORT_TAKEN);
}

/** On the same ports, so that everybody who is connected finds it again. */
async function restart(
  ports: ServerPorts,
  { stateDir, env, onProgress }: SupervisorOptions,
  signal: AbortSignal,
): Promise<EmbeddedServer> {
  const { path } = await findTemporal({ env, onProgress, signal });
  for (let tries = 1; ; tries++) {
    await portsFree(ports, signal);
    try {
      return await startServer(path, stateDir, ports);
    } catch (error) {
      if (tries === START_TRIES || !lostPort(error)) throw error;
    }
  }
}

/** A full disk ends a server, and no host: it starts the server again as soon as there is room. */
async function whenThereIsRoom<T>(
  { stateDir, onProgress }: SupervisorOptions,
  signal: AbortSignal,
  start: () => Promise<T>,
): Promise<T> {
  for (let isTold = false; ; isTold = true) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof DiskFullError)) throw error;
      if (!isTold) onProgress(`the Temporal server waits for room: the disk of ${stateDir} is full`);
      await pause(ROOM_MS, undefined, { signal });
    }
  }
}

async function portsFree(ports: ServerPorts, signal: AbortSignal): Promise<void> {
  const until = Date.now() + PORTS_MS;
  while (!(await arePortsFreeAgain(ports))) {
    if (Date.now() > until)
      throw new UnavailableError(
        `Port ${String(ports.grpc)} or ${String(ports.ui)} of the Temporal server was taken after it ended.`,
        'Run the command again: the server will take other ports.',
      );
    await pause(100, undefined, { signal });
  }
}

/** The server keeps its log open for appending, so it is cut in place. */
async function cap(log: string): Promise<void> {
  if ((await stat(log)).size <= LOG_BYTES) return;
  await copyFile(log, `${log}.1`);
  await truncate(log, 0);
}
