import type { Credentials } from '../activities/dependencies.js';
import type { Project } from '../compiler/project/project.js';
import type { WorkerDeployment } from '../plan/placement/deployment.js';
import type { KeyRing } from '../store/encryption/key-ring.js';
import { markProject } from '../store/records/trusted-projects.js';
import type { Store } from '../store/store.js';
import type { EncryptionConfig } from './encryption/project-keys.js';
import { projectKeys } from './encryption/project-keys.js';
import { beginVersion } from './deployment/begin-version.js';
import { UnavailableError } from './errors.js';
import type { StoreConfig } from './open-store.js';
import { openProjectStore, storePlace } from './open-store.js';
import { fullDisk, holdFolder } from './host/host-folder.js';
import { hostSignal } from './host/host-process.js';
import type { RunningWorker } from './host/host-worker.js';
import { startWorker } from './host/host-worker.js';
import { requireNoOtherFolder } from './connection/own-folder.js';
import { claimQueue } from './connection/queue-claim.js';
import { reach } from './connection/connect.js';
import { prepareStateDir, requireApart } from './server/server-database.js';
import type { QueueConfig } from './connection/task-queue.js';
import { devicesAt, taskQueueOf, workerIdentity } from './connection/task-queue.js';
import type { TelemetryConfig } from './telemetry/telemetry-settings.js';
import { telemetryVariables } from './telemetry/telemetry-settings.js';
import { unusableSettings } from './telemetry/unusable-settings.js';
import type { HealthPlace } from './telemetry/told-worker.js';
import type { TemporalSettings } from './connection/temporal-settings.js';
import { temporalSettings } from './connection/temporal-settings.js';

export interface WorkerOptions {
  project: Pick<Project, 'stateDir' | 'root'>;
  config: QueueConfig & EncryptionConfig & StoreConfig & TelemetryConfig;
  taskQueue?: string | undefined;
  /** What it has, for steps that require it. */
  labels?: readonly string[];
  /** The version that it is of; null or left out for none. */
  deployment?: WorkerDeployment | null;
  /** Where it serves its health and metrics; left out for nowhere. */
  health?: HealthPlace | null;
  credentials: Credentials;
  log: (line: string) => void;
  /** Called when the worker polls. */
  onReady: (worker: {
    address: string;
    namespace: string;
    taskQueue: string;
    storeId: string;
    devices: string[];
  }) => void;
}

/**
 * A worker for a server elsewhere (`perdure worker`): runs until SIGINT, SIGTERM or SIGHUP, then lets running
 * activities clean up. Throws an UnavailableError when no server is named, or it cannot be reached within fifteen
 * seconds, and a KeyError when it lacks a key.
 */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { project, config, credentials, log, onReady } = options;
  const settings = temporalSettings(process.env);
  if (settings === null)
    throw new UnavailableError(
      'No Temporal server is named.',
      'Set TEMPORAL_ADDRESS, or use `perdure up` for a server and a worker on this machine.',
    );
  const { address, namespace, connection } = settings;
  const keys = await projectKeys(config, { env: credentials(), root: project.root });
  const variables = { ...credentials(), ...telemetryVariables(config, credentials()) };
  unusableSettings(variables).forEach(log); // throws where they ask for what cannot be done
  const { store, queue } = await claimWork(options, settings, keys);
  const signal = hostSignal();
  const worker = await startWorker({
    connection,
    namespace,
    taskQueue: queue,
    store,
    credentials: () => variables,
    keys,
    root: project.root,
    labels: options.labels ?? [],
    deployment: options.deployment ?? null,
    health: options.health ?? null,
    log,
  });
  signal.addEventListener('abort', () => void worker.stop(), { once: true });
  if (options.deployment) await begin(options.deployment, { worker, settings, queue, store, keys, log });
  onReady({
    address,
    namespace,
    taskQueue: queue,
    storeId: store.id,
    devices: devicesAt(queue, taskQueueOf(store, config), config),
  });
  await whileFolderStays(project.stateDir, worker, log);
}

/** Opens the store, and claims the queue for it at the server. */
async function claimWork(
  { project, config, taskQueue }: WorkerOptions,
  settings: TemporalSettings,
  keys: KeyRing | null,
): Promise<{ store: Store; queue: string }> {
  const reached = await reach(settings);
  try {
    requireApart(project);
    await prepareStateDir(project.stateDir);
    const store = await openProjectStore(project.stateDir, storePlace(config, process.env), { keys });
    await markProject(project);
    const queue = taskQueueOf(store, config, taskQueue);
    const at = { connection: reached, namespace: settings.namespace, taskQueue: queue, keys };
    await claimQueue(at, store);
    await requireNoOtherFolder(at, store);
    return { store, queue };
  } finally {
    await reached.close();
  }
}

/** Has the server know the version of a worker that polls; ends the worker where it does not. */
async function begin(
  version: WorkerDeployment,
  { worker, settings, queue, store, keys, log }: Beginning,
): Promise<void> {
  const connection = await reach(settings);
  const { namespace } = settings;
  try {
    const identity = workerIdentity(store, keys);
    const told = await beginVersion({ connection, namespace, taskQueue: queue, version, identity });
    if (told !== null) log(told);
  } catch (error) {
    await worker.stop();
    throw error;
  } finally {
    await connection.close();
  }
}

interface Beginning extends Pick<WorkerOptions, 'log'> {
  worker: RunningWorker;
  settings: TemporalSettings;
  queue: string;
  store: Store;
  keys: KeyRing | null;
}

/** Waits for the end of a worker, and ends it when its folder is gone: then it throws an UnavailableError. */
async function whileFolderStays(stateDir: string, worker: RunningWorker, log: (line: string) => void): Promise<void> {
  let gone: string | null = null;
  const folder = holdFolder(stateDir, {
    onGone: (what) => {
      gone = what;
      void worker.stop();
    },
    onRoom: (hasRoom) => {
      log(hasRoom ? `there is room again on the disk of ${stateDir}` : fullDisk(stateDir));
    },
  });
  await worker.ended.finally(() => {
    folder.release();
  });
  if (gone !== null)
    throw new UnavailableError(
      `The worker ended: ${String(gone)}.`,
      'Start it where the folder is now: perdure worker',
    );
}
