import type { StorePlace } from '../open-store.js';
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { createConnection } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { HOST_TYPES, receive, send } from './control-protocol.js';
import type { ClientMessage, HostInfo, HostMessage, HostStatus } from './control-protocol.js';
import { KeyError } from '../../store/encryption/key-error.js';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import { named } from '../../store/encryption/key-ring.js';
import { movedRoot } from '../../store/folders/root.js';
import { requireOwn } from '../../store/identity.js';
import { UnavailableError } from '../errors.js';
import { isHostRunning, readHostFile, socketAt } from './host-files.js';
import type { HostFile } from './host-files.js';
import { isLocked, takeLock } from '../processes/lock.js';
import { silentError, watchSilence } from './host-heartbeat.js';
import type { Listened } from './host-heartbeat.js';
import { spawnHost } from './host-spawn.js';
import type { SpawnedHost } from './host-spawn.js';
import type { Progress } from '../temporal-binary/progress.js';
import { buildId } from '../package-root.js';
import { isStopped } from '../processes/processes.js';
import { prepareStateDir } from '../server/server-database.js';

export interface JoinOptions {
  stateDir: string;
  /** What the host's worker polls when this command is the one that starts it; null for the store's own queue. */
  taskQueue: string | null;
  /** Whether to start a host when there is none. */
  start: boolean;
  /** Address of the project's database, handed to a host that is started and to nobody else (I13). */
  storePlace?: StorePlace | null | undefined;
  /** Provider variables, handed to the host in memory only (I13). */
  credentials: Record<string, string>;
  /** Likewise; null or left out where nothing is encrypted. */
  keys?: KeyRing | null;
  onProgress: Progress;
  signal?: AbortSignal | undefined;
  /** The host's entry, and which build this is; tests put others here. */
  entry?: string | undefined;
  build?: string | null | undefined;
}

/** A place at a running host: as long as it is open, the host stays. */
export interface HostConnection {
  host: HostInfo;
  /** Resolves when the host has gone, with its last word; null when it said nothing. */
  gone: Promise<string | null>;
  leave: () => void;
}

const LOOK_MS = 25;
/** A host that holds its lock but does not answer for so long is given up. */
const SILENT_MS = 30_000;
/** A host that was asked to end has this long: its worker and its server take at most 15 and 10 seconds. */
const END_MS = 60_000;
/** A process that a killed host has forked holds its lock so long at most, until it becomes another program. */
const LEFT_MS = 2_000;

/** Hosts that a command starts one after another where each failed for a reason that nobody knows. */
const HOST_TRIES = 3;

/** A host that ended for no reason that a person could mend. */
class HostFailedError extends UnavailableError {}

/** A connection to a host, and whom it was made to. */
interface Line {
  socket: Socket;
  listened: Listened;
}

/**
 * Joins the host of a state folder, and starts one when there is none and that is wanted. Any number of commands may
 * do so at once: they end up at the same host. Throws an UnavailableError when there is none, or with the reason why
 * it could not start.
 */
export async function joinHost(options: JoinOptions): Promise<HostConnection> {
  const { stateDir, onProgress, signal } = options;
  requireInPlace(stateDir);
  if (options.start) await prepareStateDir(stateDir);
  let spawned: SpawnedHost | null = null;
  let silentSince = Date.now();
  let mayRenew = true;
  let failures = 0;
  for (;;) {
    signal?.throwIfAborted();
    const line = await connectTo(stateDir);
    if (line !== null) {
      const connection = await connectToHost(line, options, mayRenew).catch(async (error: unknown) => {
        // Whoever was killed beside it may have taken it along: another one comes up, or tells the reason again.
        if (!(error instanceof HostFailedError) || !options.start || (failures += 1) > HOST_TRIES) throw error;
        onProgress(`${error.message}; trying again`);
        await pause(LOOK_MS * 10, undefined, { signal });
        return null;
      });
      if (connection !== null) return connection;
      // One of ours that goes without a word again and again has trouble that it cannot tell.
      if (spawned !== null && (failures += 1) > HOST_TRIES) throw await spawned.error();
      // It was ending in this moment: the next one is ours to find or to start.
      // Asked once only: two builds that both insist would replace each other for ever.
      [spawned, silentSince, mayRenew] = [null, Date.now(), false];
      continue;
    }
    if (!(await isHeld(stateDir))) {
      if (!options.start) throw new UnavailableError(`No host runs for \`${stateDir}\`.`, 'Start one: perdure up');
      if (spawned === null) {
        onProgress('starting the host');
        spawned = spawnHost(options);
      }
    }
    spawned = await stillOurs(spawned);
    if (Date.now() - silentSince > SILENT_MS) throw await unheardError(stateDir);
    await pause(LOOK_MS, undefined, { signal });
  }
}

/** What to say of a host that holds its lock and cannot be connected to. */
async function unheardError(stateDir: string): Promise<UnavailableError> {
  const file = await readHostFile(stateDir);
  // Of one that has ended the process may be another by now.
  const host = file !== null && (await isHostRunning(file)) ? file.host : null;
  return silentError({ stateDir, host }, host !== null && (await isStopped(host.pid)));
}

/** The host that this command has started; null where another one was faster. Throws why it failed. */
async function stillOurs(spawned: SpawnedHost | null): Promise<SpawnedHost | null> {
  if (spawned?.ended() === 'failed') throw await spawned.error();
  return spawned?.ended() === 'held' ? null : spawned;
}

/** A project that was moved under a command has its runs where it is now: no folder is made where it was. */
function requireInPlace(stateDir: string): void {
  const moved = movedRoot(stateDir);
  if (moved !== null)
    throw new UnavailableError(moved.message, 'Its runs go on where it is now: start the command there.');
}

/** Asks a running host how it stands; null when there is none. Throws an UnavailableError when it does not answer. */
export async function hostStatus(stateDir: string): Promise<HostStatus | null> {
  const line = await connectTo(stateDir);
  if (line === null) return null;
  return ask(line, { type: 'status' }, (message) => (message.type === 'status' ? message.status : undefined));
}

/**
 * Asks a running host to end and waits until it has; where there is none, ends the server that one left when it was
 * killed. False when there was neither. Throws an UnavailableError when the host does not answer, or does not end, and
 * a `StoreFailure` where it would be another user's.
 */
export async function stopHost(stateDir: string): Promise<boolean> {
  const file = await readHostFile(stateDir);
  const line = await connectTo(stateDir);
  if (line !== null)
    await ask(line, { type: 'stop' }, (message) => (message.type === 'stopping' ? message : undefined));
  else if (file === null || !(await isHeld(stateDir))) return stopLeftServer(stateDir);
  await hostEnded(stateDir, file);
  // One that did not listen was ending, or is killed: then it has left what its lock was held for a moment more.
  if (line === null) await stopLeftServer(stateDir);
  return true;
}

/** False where no server is left, and where the next host has come for it. */
async function stopLeftServer(stateDir: string): Promise<boolean> {
  if (!existsSync(stateDir)) return false;
  requireOwn(stateDir); // whose host holds another lock
  const { findServer, stopServer } = await import('../server/embedded-server.js');
  const lock = await takeLeftLock(stateDir);
  if (lock === null) return false;
  try {
    const server = await findServer(stateDir);
    if (server !== null) await stopServer(server);
    return server !== null;
  } finally {
    await lock.release();
  }
}

/** The host's lock; null where the next host has it. What a killed one was about to start holds it a moment, too. */
async function takeLeftLock(stateDir: string): ReturnType<typeof takeLock> {
  for (let waited = 0; waited < LEFT_MS; waited += LOOK_MS) {
    const lock = await takeLock(stateDir, 'host');
    if (lock !== null) return lock;
    await pause(LOOK_MS);
  }
  return null;
}

async function hostEnded(stateDir: string, file: HostFile | null): Promise<void> {
  const host = file?.host ?? null;
  for (let waited = 0; await (file === null ? isHeld(stateDir) : isHostRunning(file)); waited += LOOK_MS) {
    if (waited > END_MS) throw silentError({ stateDir, host }, host !== null && (await isStopped(host.pid)));
    await pause(LOOK_MS);
  }
}

async function isHeld(stateDir: string): Promise<boolean> {
  if (process.platform === 'linux') return isLocked(stateDir, 'host').catch(() => false);
  const file = await readHostFile(stateDir);
  return file !== null && isHostRunning(file);
}

/** Null when nobody listens where the host of a folder does, whether its file can be read or not. */
async function connectTo(stateDir: string): Promise<Line | null> {
  const real = await realpath(stateDir).catch(() => null);
  if (real === null) return null;
  const host = (await readHostFile(stateDir))?.host ?? null;
  const path = socketAt(real);
  return new Promise((resolve) => {
    const socket = createConnection({ path });
    socket.once('connect', () => resolve({ socket, listened: { stateDir, host } }));
    socket.once('error', () => resolve(null));
  });
}

/** Says hello and follows the start. Null when the host ends before it is ready without a reason of its own. */
function connectToHost(
  { socket, listened }: Line,
  { start, credentials, keys = null, onProgress, signal, build = buildId() }: JoinOptions,
  mayRenew: boolean,
): Promise<HostConnection | null> {
  return new Promise((resolve, reject) => {
    let lastWord: string | null = null;
    let host: HostInfo | null = null;
    const gone = new Promise<string | null>((done) => socket.once('close', () => done(lastWord)));
    const leave = (): void => void socket.end();
    const abort = (): void => {
      socket.destroy();
      reject(signal?.reason instanceof Error ? signal.reason : new Error(String(signal?.reason)));
    };
    signal?.addEventListener('abort', abort, { once: true });
    socket.on('error', () => socket.destroy());
    void gone.then(() => resolve(null));
    const silence = watchSilence(socket, listened, (error) => {
      reject(error);
      socket.destroy();
    });
    receive<HostMessage>(socket, HOST_TYPES, (message) => {
      silence.heard();
      if (message.type === 'progress') onProgress(message.line);
      if (message.type === 'stopping') lastWord = message.reason;
      if (message.type === 'failed') reject(failureIn(message));
      if (message.type === 'kept') tellKept(host, build, onProgress);
      if (message.type === 'ready') {
        signal?.removeEventListener('abort', abort);
        host = message.host;
        // The workflow code of an older build must not take in new runs where nobody needs it. Who only looks starts
        // no other in its place.
        if (mayRenew && start && (isOtherBuild(host, build) || !hasKeys(host, keys)))
          return send(socket, { type: 'renew' });
      }
      if (host === null || (message.type !== 'ready' && message.type !== 'kept')) return;
      silence.end();
      if (hasKeys(host, keys)) return resolve({ host, gone, leave });
      reject(otherKeys(host, keys));
      socket.end();
    });
    send(socket, { type: 'hello', pid: process.pid, build, credentials, keys: keys?.handOver() ?? [] });
  });
}

function failureIn({ message, hint, again, locked }: HostMessage & { type: 'failed' }): Error {
  if (locked === true) return new KeyError(message, hint);
  return again === true ? new HostFailedError(message, hint) : new UnavailableError(message, hint);
}

function tellKept(host: HostInfo | null, build: string | null, onProgress: Progress): void {
  if (host !== null && isOtherBuild(host, build))
    onProgress('the host runs another build of Perdure and has work to do; `perdure server stop` replaces it');
}

function isOtherBuild(host: HostInfo, build: string | null): boolean {
  return build !== null && host.build !== null && host.build !== build;
}

/** Tells whether a host has the keys of this command, in the same order. */
function hasKeys(host: HostInfo, keys: KeyRing | null): boolean {
  return host.keys.join() === (keys?.ids ?? []).join();
}

function otherKeys(host: HostInfo, keys: KeyRing | null): KeyError {
  return new KeyError(
    `The host encrypts with the keys ${named(host.keys)}, and \`encryption\` of perdure.yml has ` +
      `${named(keys?.ids ?? [])}.`,
    'It has work to do, and another command uses it perhaps. Stop it and run the command again: perdure server stop',
  );
}

function ask<T>(
  { socket, listened }: Line,
  question: ClientMessage,
  answerIn: (message: HostMessage) => T | undefined,
): Promise<T | null> {
  return new Promise((resolve, reject) => {
    socket.once('close', () => resolve(null));
    socket.on('error', () => socket.destroy());
    const silence = watchSilence(socket, listened, (error) => {
      reject(error);
      socket.destroy();
    });
    receive<HostMessage>(socket, HOST_TYPES, (message) => {
      silence.heard();
      const answer = answerIn(message);
      if (answer === undefined) return;
      resolve(answer);
      socket.end();
    });
    send(socket, question);
  });
}
