import { stat, copyFile, truncate } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Env } from './cache-folder.js';
import type { CodecServer } from './codec-server.js';
import { arePortsFree, choosePorts, findServer, serverLog, settled, startServer, USUAL_PORTS, whenGone } from './embedded-server.js';
import type { EmbeddedServer, WantedPorts } from './embedded-server.js';
import { UnavailableError } from './errors.js';
import type { Progress } from './provision.js';
import type { ServerPorts } from './server-command.js';
import { checkDatabase } from './server-database.js';
import { findTemporal } from './temporal-binary.js';

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
const LOG_BYTES = 8 * 1024 * 1024;
/** What the server says of a port that it cannot have. */
const PORT_TAKEN = 'address already in use';
const START_TRIES = 5;

/** Joins the live server of a state folder or starts one, and keeps one running on its ports. The caller holds the host's lock. */
export async function superviseServer(options: SupervisorOptions): Promise<SupervisedServer> {
  let server = (await joinServer(options)) ?? (await startFirst(options));
  await options.onServer(server);
  const released = new AbortController();
  const ends: number[] = [];
  const supervise = async (): Promise<never> => {
    for (;;) {
      await whenGone(server, released.signal);
      ends.push(Date.now());
      options.onProgress('the Temporal server ended by itself; starting it again');
      if (ends.filter((end) => Date.now() - end < MINUTE).length > RESTARTS_A_MINUTE) {
        throw new UnavailableError(`The Temporal server ended ${String(RESTARTS_A_MINUTE + 1)} times in a minute.`, `Its log is ${serverLog(options.stateDir)}`);
      }
      server = await restart(server.ports, options, released.signal);
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
    },
  };
}

async function joinServer({ stateDir, onProgress, openCodec }: SupervisorOptions): Promise<EmbeddedServer | null> {
  const server = await findServer(stateDir);
  if (server === null) return null;
  onProgress(`joining the Temporal server that runs at ${server.address}`);
  const codec = await openCodec(server.ports.codec);
  if (codec.port !== server.ports.codec) onProgress(`port ${String(server.ports.codec)} is taken: the Web UI cannot show stored values`);
  await settled(server, stateDir);
  return server;
}

async function startFirst({ stateDir, env, uiPort, last, onProgress, signal, openCodec }: SupervisorOptions): Promise<EmbeddedServer> {
  // Before the minutes that a build may take.
  await checkDatabase(stateDir);
  const { path } = await findTemporal({ env, onProgress, signal });
  const wanted: WantedPorts = { ...USUAL_PORTS, ...last, ...(uiPort === null ? {} : { ui: uiPort }) };
  const codec = await openCodec(wanted.codec);
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted();
    // Those who took the usual ports once may be many who start at this moment: from then on the system chooses.
    const ports = await choosePorts(tries === 1 ? wanted : { ...wanted, grpc: null, ui: uiPort }, codec.port);
    if (uiPort !== null && ports.ui !== uiPort) throw new UnavailableError(`Port ${String(uiPort)} for the Web UI is taken.`, 'Choose another one with --ui-port.');
    onProgress('starting the Temporal server');
    try {
      return await startServer(path, stateDir, ports);
    } catch (error) {
      // Somebody took a port between our look and the server's, and may have left it again since.
      const wasTaken = error instanceof Error && error.message.includes(PORT_TAKEN);
      if (tries === START_TRIES || !(wasTaken || !(await arePortsFree(ports)))) throw error;
    }
  }
}

/** On the same ports, so that everybody who is connected finds it again. */
async function restart(ports: ServerPorts, { stateDir, env, onProgress }: SupervisorOptions, signal: AbortSignal): Promise<EmbeddedServer> {
  const { path } = await findTemporal({ env, onProgress, signal });
  const until = Date.now() + PORTS_MS;
  while (!(await arePortsFree(ports))) {
    if (Date.now() > until) throw new UnavailableError(`Port ${String(ports.grpc)} or ${String(ports.ui)} of the Temporal server was taken after it ended.`, 'Run the command again: the server will take other ports.');
    await pause(100, undefined, { signal });
  }
  return startServer(path, stateDir, ports);
}

/** The server keeps its log open for appending, so it is cut in place. */
async function cap(log: string): Promise<void> {
  if ((await stat(log)).size <= LOG_BYTES) return;
  await copyFile(log, `${log}.1`);
  await truncate(log, 0);
}
