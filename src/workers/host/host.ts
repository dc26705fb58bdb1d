import { existsSync } from 'node:fs';
import { projectsOf } from '../../store/records/trusted-projects.js';
import { outsideEnvironment } from '../../store/processes/search-path.js';
import { movedRoot } from '../../store/folders/root.js';
import { storeFailure } from '../../store/store-failure.js';
import type { Env } from '../../store/cache-folder.js';
import type { CodecServer } from '../server/codec-server.js';
import { serveCodec } from '../server/codec-server.js';
import type { HostInfo, HostStatus } from './control-protocol.js';
import { HOST_FAILED } from './control-protocol.js';
import { serveControl } from './control-server.js';
import type { ControlServer } from './control-server.js';
import { mergeCredentials } from '../credentials.js';
import { KeyError } from '../../store/encryption/key-error.js';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import { HostKeys } from './host-keys.js';
import { stopServer } from '../server/embedded-server.js';
import type { EmbeddedServer } from '../server/embedded-server.js';
import { messageOf, UnavailableError } from '../errors.js';
import type { StorePlace } from '../open-store.js';
import { openProjectStore } from '../open-store.js';
import { controlSocketPath, identifySelf, readHostFile, writeHostFile } from './host-files.js';
import type { HostFile } from './host-files.js';
import { fullDisk, holdFolder } from './host-folder.js';
import { takeLock } from '../processes/lock.js';
import type { startWorker } from './host-worker.js';
import { watchIdle } from './idle.js';
import type { HealthPlace } from '../telemetry/told-worker.js';
import { labelsIn } from '../worker/labels.js';
import { buildId } from '../package-root.js';
import { prepareStateDir } from '../server/server-database.js';
import { NAMESPACE } from '../connection/connect.js';
import { superviseServer } from '../server/server-supervisor.js';
import type { SupervisedServer } from '../server/server-supervisor.js';
import { createUiGuard } from '../server/ui-guard.js';
import type { UiGuard } from '../server/ui-guard.js';

export interface HostOptions {
  stateDir: string;
  /** What the worker polls; null for the store's own queue (decision 11). */
  taskQueue: string | null;
  /** Address of the project's database; null where its store is its state folder. */
  storePlace?: StorePlace | null;
  /** How long the host stays when nobody needs it; null for ever. */
  idleMs: number | null;
  env: Env;
  /** Where its worker serves its health; null or left out for nowhere. */
  health?: HealthPlace | null;
  /** Where the Web UI should be; null for the usual place. */
  uiPort: number | null;
  credentials: Record<string, string>;
  /** By which it encrypts what goes to the server, or the ids of those that commands bring; left out for none. */
  keys?: KeyRing | null | { wanted: readonly string[] };
  log: (line: string) => void;
  /** Aborted when the process is asked to end; the reason is told to everybody who joined. */
  signal: AbortSignal;
  /** Called when everything runs. */
  onReady?: (host: HostInfo) => void;
  /** Tests put another worker here. */
  startWorker?: typeof startWorker;
}

/** How a host ended: another one holds the state folder, it could not start or go on, or it was no longer needed. */
export type HostEnd =
  { kind: 'held' } | { kind: 'failed'; error: UnavailableError | KeyError } | { kind: 'stopped'; reason: string };

/** What a host has opened, to be closed in reverse. */
interface Parts {
  codec: CodecServer | null;
  ui: UiGuard;
  server: SupervisedServer | null;
  worker: { ended: Promise<void>; stop: () => Promise<void> } | null;
}

/**
 * Runs the host of one state folder: the server, the worker, the codec endpoint and the control socket (decision 7).
 * Resolves when it has ended and everything it started has ended with it.
 */
export async function runHost(options: HostOptions): Promise<HostEnd> {
  await prepareStateDir(options.stateDir);
  const lock = await takeLock(options.stateDir, 'host');
  if (lock === null) return { kind: 'held' };
  try {
    return await runLocked(options);
  } finally {
    await lock.release();
  }
}

async function runLocked(options: HostOptions): Promise<HostEnd> {
  const stop = new AbortController();
  const forward = (): void => stop.abort(options.signal.reason);
  if (options.signal.aborted) forward();
  options.signal.addEventListener('abort', forward, { once: true });
  const parts: Parts = { codec: null, ui: createUiGuard(), server: null, worker: null };
  const host = await openHost(options, stop, parts);
  const folder = holdFolder(options.stateDir, {
    onGone: (what) => stop.abort(what),
    onRoom: (hasRoom) => announceRoom(options, host, hasRoom),
    onStands: () => listenAgain(options, host),
  });
  let end: HostEnd;
  try {
    await start(options, parts, host, stop.signal);
    await Promise.race([aborted(stop.signal), parts.server?.failed, workerEnded(parts)]);
    end = { kind: 'stopped', reason: String(stop.signal.reason) };
  } catch (error) {
    const wanted = stop.signal.aborted;
    end = wanted
      ? { kind: 'stopped', reason: String(stop.signal.reason) }
      : { kind: 'failed', error: await fail(error, host, options) };
  }
  // Also ends what the idle watch has set.
  stop.abort(end.kind === 'failed' ? HOST_FAILED : stop.signal.reason);
  folder.release();
  await shutDown(parts, host, { reason: String(stop.signal.reason), log: options.log });
  return end;
}

function announceRoom({ stateDir, log }: HostOptions, { control }: OpenHost, hasRoom: boolean): void {
  const line = hasRoom ? `there is room again on the disk of ${stateDir}` : fullDisk(stateDir);
  log(line);
  control.announce(line);
}

/** Without its socket nobody finds a host, which goes on and keeps others from starting. */
async function listenAgain({ stateDir, log }: HostOptions, { control, socket }: OpenHost): Promise<void> {
  if (existsSync(socket)) return;
  await controlSocketPath(stateDir); // makes its folder
  if (await control.listenAgain()) log(`its control socket ${socket} was removed and is there again`);
}

/** The part of a host that is there from the first moment on. */
interface OpenHost {
  control: ControlServer;
  status: HostStatus;
  credentials: Record<string, string>;
  keys: HostKeys;
  socket: string;
}

async function openHost(options: HostOptions, stop: AbortController, parts: Parts): Promise<OpenHost> {
  const socket = await controlSocketPath(options.stateDir);
  const since = new Date().toISOString();
  const info: HostInfo = {
    pid: process.pid,
    address: '',
    namespace: NAMESPACE,
    uiUrl: '',
    taskQueue: '',
    storeId: '',
    build: buildId(),
    keys: [],
    phases: {},
  };
  const status: HostStatus = { ...info, phase: 'starting', serverPid: null, clients: 0, since, restarts: 0 };
  const isNeeded = async (): Promise<boolean> =>
    status.phase !== 'ready' || (await import('./host-queries.js')).isNeededAt(status.address, keys.now());
  const keys = new HostKeys(options.keys ?? null);
  const idle = watchIdle({
    idleMs: options.idleMs,
    isNeeded,
    onIdle: () => stop.abort('nobody needs it'),
    signal: stop.signal,
  });
  const control = await serveControl(socket, {
    onHello: (hello) => {
      // Who comes finds the socket where the folder is now, before it was seen here that this is another place.
      if (movedRoot(options.stateDir) !== null) stop.abort(`its folder ${options.stateDir} was moved or removed`);
      if (stop.signal.aborted) return false;
      host.credentials = mergeCredentials(host.credentials, hello.credentials);
      keys.take(hello.keys);
      return true;
    },
    onStop: () => stop.abort('it was asked to stop'),
    onRenew: async () => {
      if (options.idleMs === null || status.clients > 1 || (await isNeeded().catch(() => true))) return false;
      stop.abort('another build, or other keys, take its place');
      return true;
    },
    onClients: (clients) => {
      status.clients = clients;
      idle.busy(clients > 0);
    },
    status: () => ({
      ...status,
      serverPid: parts.server?.current().identity.pid ?? null,
      restarts: parts.server?.restarts() ?? 0,
    }),
  });
  const host: OpenHost = { control, status, credentials: options.credentials, keys, socket };
  const last = await readHostFile(options.stateDir);
  await writeDown({ ports: last?.ports ?? null, server: null, uiUrl: null }, options, host);
  return host;
}

async function start(options: HostOptions, parts: Parts, host: OpenHost, signal: AbortSignal): Promise<void> {
  const { stateDir, log } = options;
  const phases = host.status.phases;
  const mark = (phase: string): void => void (phases[phase] = Math.round(performance.now()));
  const onProgress = (line: string): void => {
    log(line);
    host.control.say(line);
  };
  mark('process');
  const { storePlace = null } = options;
  // A database may be sealed with them.
  const storeKeys = storePlace === null ? null : await host.keys.wait(signal);
  const store = await openProjectStore(stateDir, storePlace, { keys: storeKeys });
  const last = await readHostFile(stateDir);
  const openCodec = async (port: number | null): Promise<CodecServer> =>
    (parts.codec = await serveCodec(store, port, () => host.keys.now()));
  const onServer = async (server: EmbeddedServer): Promise<void> => {
    parts.codec?.allow(server.ports.ui);
    if (!(await parts.ui.stand({ port: server.ports.ui, address: server.uiAddress })))
      onProgress(`port ${String(server.ports.ui)} is taken: the Web UI cannot be reached`);
    await writeDown({ ports: server.ports, server: server.identity, uiUrl: server.uiUrl }, options, host);
  };
  parts.server = await superviseServer({
    stateDir,
    env: (await projectsOf(stateDir)).reduce(outsideEnvironment, options.env),
    uiPort: options.uiPort,
    last: last?.ports ?? null,
    onProgress,
    signal,
    openCodec,
    onServer,
  });
  const server = parts.server.current();
  mark('server');
  signal.throwIfAborted();
  const keys = await host.keys.wait(signal);
  const taskQueue = options.taskQueue ?? `perdure-${store.id}`;
  const credentials = (): Record<string, string> => host.credentials;
  const startWith = options.startWorker ?? (await import('./host-worker.js')).startWorker;
  const { endCarriedAt, waitForPoller } = await import('./host-queries.js');
  if (store.copiedFrom !== null)
    tellCarried(
      await endCarriedAt(server.address, { id: store.id, copiedFrom: store.copiedFrom }, keys),
      store.copiedFrom,
      onProgress,
    );
  parts.worker = await startWith({
    connection: { address: server.address },
    namespace: NAMESPACE,
    taskQueue,
    store,
    credentials,
    keys,
    labels: labelsIn(options.env['PERDURE_LABELS'] ?? ''),
    health: options.health ?? null,
    log,
  });
  await Promise.race([waitForPoller(server.address, taskQueue, signal), workerEnded(parts)]);
  mark('worker');
  log(`ready: server ${server.address}, UI ${server.uiUrl}, task queue ${taskQueue}, ${JSON.stringify(phases)}`);
  const { address, uiUrl } = server;
  becomeReady(options, host, { address, uiUrl, taskQueue, storeId: store.id, keys: [...(keys?.ids ?? [])] });
}

/** Writes down what runs, for commands and for the next host. */
async function writeDown(
  runs: Pick<HostFile, 'ports' | 'server' | 'uiUrl'>,
  { stateDir, log }: HostOptions,
  { socket, status: { since } }: OpenHost,
): Promise<void> {
  const file: HostFile = { host: await identifySelf(), socket, since, ...runs };
  await writeHostFile(stateDir, file).catch((error: unknown) => {
    // Commands find the host by its socket, and the process table knows the server.
    if (!storeFailure(error, 'write', stateDir).passes) throw error;
    log(`what runs is not written down: ${messageOf(error)}`);
  });
}

/** Tells everybody who has joined, or joins from now on, where the host is. */
function becomeReady(
  { onReady }: HostOptions,
  { status, control }: OpenHost,
  place: Pick<HostInfo, 'address' | 'uiUrl' | 'taskQueue' | 'storeId' | 'keys'>,
): void {
  Object.assign(status, { phase: 'ready', ...place });
  const { phase: _phase, serverPid: _pid, clients: _clients, since: _since, restarts: _restarts, ...info } = status;
  control.stand({ phase: 'ready', host: info });
  onReady?.(info);
}

function tellCarried(runs: string[], copiedFrom: string, onProgress: (line: string) => void): void {
  if (runs.length > 0)
    onProgress(
      `this project is a copy: ${runs.map((run) => `\`${run}\``).join(', ')} ` +
        `${runs.length === 1 ? 'goes' : 'go'} on in its original, ${copiedFrom}, and ` +
        `${runs.length === 1 ? 'was' : 'were'} ended here`,
    );
}

async function workerEnded(parts: Parts): Promise<void> {
  await parts.worker?.ended;
  throw new UnavailableError('The worker ended by itself.');
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Tells whoever joined, or joins in this moment, why the host cannot serve. */
async function fail(error: unknown, host: OpenHost, { log }: HostOptions): Promise<UnavailableError | KeyError> {
  log(
    error instanceof UnavailableError || error instanceof KeyError
      ? `failed: ${error.message}`
      : `failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  const known =
    error instanceof UnavailableError || error instanceof KeyError
      ? error
      : new UnavailableError(`The host failed: ${messageOf(error)}`, 'Its log is logs/host.log in the state folder.');
  host.control.stand({
    phase: 'failed',
    message: known.message,
    hint: known.hint,
    ...(known === error ? {} : { again: true }),
    ...(known instanceof KeyError ? { locked: true } : {}),
  });
  await Promise.race([host.control.told(), new Promise((resolve) => setTimeout(resolve, 2000))]);
  return known;
}

async function shutDown(
  parts: Parts,
  host: OpenHost,
  { reason, log }: { reason: string; log: (line: string) => void },
): Promise<void> {
  log(`ends: ${reason}`);
  host.status.phase = 'stopping';
  await host.control.close(reason);
  await parts.worker?.stop();
  if (parts.server !== null) {
    parts.server.release();
    await stopServer(parts.server.current());
  }
  await Promise.all([parts.codec?.close(), parts.ui.close()]);
}
