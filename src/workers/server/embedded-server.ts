import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { FolderIdentity } from '../../store/folders/root.js';
import { identityOf as fileIdentity, isSameFolder } from '../../store/folders/root.js';
import { codeOf, UnavailableError } from '../errors.js';
import { claimFreePort, claimPort, isFree, LOOPBACK, waitForPort } from './ports.js';
import type { PortClaim } from './ports.js';
import { identify, isRunning, listProcesses, signalGroup } from '../processes/processes.js';
import type { ProcessIdentity } from '../processes/processes.js';
import { isServer, markOf, portsIn, serverArguments, uiAddressIn } from './server-command.js';
import type { ServerPorts } from './server-command.js';
import {
  beginDatabase,
  checkDatabase,
  databaseError,
  databaseFile,
  databaseIsMade,
  removeUnmade,
} from './server-database.js';
import { chooseUiAddress, hasUiGuard } from './ui-guard.js';

const HEALTHY_MS = 60_000;
const STOP_MS = 10_000;
const LOOK_MS = 200;

/** A Temporal server that serves the database of one state folder. */
export interface EmbeddedServer {
  identity: ProcessIdentity;
  ports: ServerPorts;
  /** `127.0.0.1:7233` */
  address: string;
  /** Where people find the Web UI. */
  uiUrl: string;
  /** Where it listens itself: behind its guard, if there is one. */
  uiAddress: string;
}

/** Ports that are taken when they are free; null leaves the choice to the system. */
export type WantedPorts = { [name in keyof ServerPorts]: number | null };

/** Temporal's own, where people look for them first. */
export const USUAL_PORTS: WantedPorts = { grpc: 7233, ui: 8233, codec: null };

/**
 * The live server of a state folder, or null. It may have been started by a host that is dead by now, even in this
 * moment: the process table knows, so never two servers run on one database. The caller holds the host's lock.
 */
export async function findServer(stateDir: string): Promise<EmbeddedServer | null> {
  const database = databaseFile(await realpath(stateDir));
  const id = fileIdentity(database);
  for (const { pid, argv } of await listProcesses()) {
    const ports = portsIn(argv, database);
    const identity = ports === null ? null : await identify(pid);
    if (ports === null || identity === null) continue;
    // The file of that name may be another one since the server opened it.
    const opens = id === null ? null : await hasOpen(pid, id);
    if (opens ?? (await seesFolder(pid, database))) return describe(identity, ports, uiAddressIn(argv));
  }
  return null;
}

/**
 * Ends servers that have the database of a state folder open under another name, or another database under this one's:
 * the folder was moved, or removed, while they ran and their host was killed. The caller holds the host's lock.
 */
export async function endStrayServers(stateDir: string): Promise<number> {
  const database = databaseFile(await realpath(stateDir));
  const id = fileIdentity(database);
  let ended = 0;
  for (const { pid, argv } of await listProcesses()) {
    if (!isServer(argv)) continue;
    const isNamed = portsIn(argv, database) !== null;
    const opens = id === null ? false : await hasOpen(pid, id);
    if (opens === null || isNamed === opens) continue;
    if (isNamed && !(await seesFolder(pid, database))) continue;
    const identity = await identify(pid);
    if (identity === null) continue;
    await stopProcess(identity);
    ended += 1;
  }
  return ended;
}

/**
 * Tells whether a process has this file open; null where nobody can say: on systems without `/proc`, and while it
 * starts.
 */
async function hasOpen(pid: number, file: FolderIdentity): Promise<boolean | null> {
  const folder = `/proc/${String(pid)}/fd`;
  const names = await readdir(folder).catch((): string[] => []);
  const found = await Promise.all(
    names.map(async (name) => ({
      path: await readlink(join(folder, name)).catch(() => ''),
      is: await stat(join(folder, name)).catch(() => null),
    })),
  );
  if (!found.some(({ path }) => DATABASE.test(path))) return null;
  return found.some(({ is }) => is !== null && isSameFolder({ dev: is.dev, ino: is.ino }, file));
}

/**
 * Tells whether the folder of a file is the same one for a process: in a container, or below another root, that path is
 * another project's. True where nobody can say.
 */
async function seesFolder(pid: number, file: string): Promise<boolean> {
  const folder = dirname(file);
  try {
    const theirs = await stat(join('/proc', String(pid), 'root', folder));
    const ours = await stat(folder);
    return isSameFolder(theirs, ours);
  } catch (error) {
    return process.platform !== 'linux' || codeOf(error) !== 'ENOENT';
  }
}

/** A server's database, where it was removed since it was opened too. */
const DATABASE = /\/temporal\.db(?: \(deleted\))?$/;

/** Ports of a server, held for it while it is down until `release`. */
export interface HeldPorts {
  ports: ServerPorts;
  release: () => void;
}

/** Chooses ports for a new server, and holds them. `codec` is where the host serves the codec endpoint already. */
export async function choosePorts(wanted: WantedPorts, codec: number): Promise<HeldPorts> {
  const grpc = await claimFreePort(wanted.grpc);
  const ui = await claimFreePort(wanted.ui);
  return hold({ grpc: grpc.port, ui: ui.port, codec }, [grpc, ui]);
}

/** Holds the ports of a server that runs, as far as nobody else does. */
export async function holdPorts(ports: ServerPorts): Promise<HeldPorts> {
  return hold(ports, [await claimPort(ports.grpc), await claimPort(ports.ui)]);
}

function hold(ports: ServerPorts, claims: (PortClaim | null)[]): HeldPorts {
  return { ports, release: () => claims.forEach((claim) => claim?.release()) };
}

/**
 * Starts a server in a process group of its own, so that it outlives a killed host. The caller holds the host's lock
 * and found no live server. Resolves when it is healthy; throws an UnavailableError with the reason when it is not.
 */
export async function startServer(program: string, stateDir: string, ports: ServerPorts): Promise<EmbeddedServer> {
  const real = await realpath(stateDir);
  await checkDatabase(real);
  const isNew = await beginDatabase(real);
  try {
    return await spawnServer(program, real, ports);
  } catch (error) {
    if (isNew) await removeUnmade(real);
    throw error;
  }
}

async function spawnServer(program: string, real: string, ports: ServerPorts): Promise<EmbeddedServer> {
  const log = serverLog(real);
  const from = await stat(log).then(
    ({ size }) => size,
    () => 0,
  );
  const fd = openSync(log, 'a', 0o600);
  const uiAddress = chooseUiAddress();
  const child = spawn(program, serverArguments(databaseFile(real), ports, uiAddress), {
    cwd: real,
    // A person's Temporal settings must not reach our own server. Who has no entry in passwd has the name in `USER`.
    env: { PATH: process.env['PATH'], HOME: real, USER: process.env['USER'] ?? String(process.getuid?.() ?? 0) },
    stdio: ['ignore', fd, fd],
    detached: true,
  });
  closeSync(fd);
  child.unref();
  const spawned = new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  await spawned.catch((error: Error) => {
    throw new UnavailableError(`The Temporal server \`${program}\` could not be started: ${error.message}`);
  });
  const identity = await identify(child.pid ?? 0);
  if (identity === null) throw await startError(real, from);
  const server = describe(identity, ports, uiAddress);
  await settled(server, real, from);
  return server;
}

/** Waits until a server answers and is set up. Ends one that does not, and throws why. */
export async function settled(server: EmbeddedServer, stateDir: string, logFrom = 0): Promise<void> {
  const abort = new AbortController();
  const timer = setTimeout(
    () =>
      abort.abort(
        new UnavailableError(
          `The Temporal server does not answer at ${server.address}; its log is ${serverLog(stateDir)}`,
        ),
      ),
    HEALTHY_MS,
  );
  const gone = whenGone(server, abort.signal).then(async () => {
    throw await startError(stateDir, logFrom);
  });
  try {
    // Temporal's client takes longer to load than the server to start: they go side by side.
    const health = import('../connection/server-health.js');
    await Promise.race([gone, waitForPort(server.ports.grpc, abort.signal)]);
    const { settleServer } = await health;
    await Promise.race([gone, settleServer(server.address, markOf(databaseFile(await realpath(stateDir))))]);
    await databaseIsMade(stateDir);
  } catch (error) {
    if (await isRunning(server.identity)) await stopServer(server);
    throw error;
  } finally {
    clearTimeout(timer);
    abort.abort();
    gone.catch(() => {});
  }
}

/** Resolves when a server has ended. Rejects with the signal's reason. */
export async function whenGone(server: EmbeddedServer, signal: AbortSignal): Promise<void> {
  while (await isRunning(server.identity)) await pause(LOOK_MS, undefined, { signal });
}

/** Ends a server: asks first, insists after ten seconds. Resolves when it is gone. */
export function stopServer(server: EmbeddedServer): Promise<void> {
  return stopProcess(server.identity);
}

async function stopProcess(identity: ProcessIdentity): Promise<void> {
  signalGroup(identity.pid, 'SIGTERM');
  const insist = setTimeout(() => signalGroup(identity.pid, 'SIGKILL'), STOP_MS);
  while (await isRunning(identity)) await pause(25);
  clearTimeout(insist);
}

/** Where the server's own words go. */
export function serverLog(stateDir: string): string {
  return join(stateDir, 'logs', 'server.log');
}

/** Tells whether a new server could listen there. */
export async function arePortsFree(ports: ServerPorts): Promise<boolean> {
  return (await isFree(ports.grpc)) && (await isFree(ports.ui));
}

/** Tells whether a server could listen there again: where a guard stands at the UI's port, that one stays. */
export async function arePortsFreeAgain(ports: ServerPorts): Promise<boolean> {
  return hasUiGuard ? isFree(ports.grpc) : arePortsFree(ports);
}

function describe(identity: ProcessIdentity, ports: ServerPorts, uiAddress: string): EmbeddedServer {
  return {
    identity,
    ports,
    address: `${LOOPBACK}:${String(ports.grpc)}`,
    uiUrl: `http://${LOOPBACK}:${String(ports.ui)}`,
    uiAddress,
  };
}

async function startError(stateDir: string, logFrom: number): Promise<UnavailableError> {
  const said = await tailOf(serverLog(stateDir), logFrom);
  const known = databaseError(said, stateDir);
  if (known !== null) return known;
  const [, unknown] = /unknown userid (\d+)/.exec(said) ?? [];
  if (unknown !== undefined)
    return new UnavailableError(
      `The Temporal server does not start for user ${unknown}, who has no entry in /etc/passwd.`,
      'Add one, or set PERDURE_TEMPORAL_BIN to a server that was built with `CGO_ENABLED=0` or `-tags osusergo`.',
    );
  const last = said.trim().split('\n').slice(-3).join('\n');
  return new UnavailableError(
    `The Temporal server ended at its start: ${last === '' ? 'it said nothing' : last}`,
    `Its log is ${serverLog(stateDir)}`,
  );
}

/** The text of a file from an offset, at most its last 8 KiB. */
async function tailOf(file: string, from: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const start = Math.max(from <= size ? from : 0, size - 8192);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
