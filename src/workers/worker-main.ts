import type { Credentials } from '../activities/dependencies.js';
import type { Project } from '../compiler/project.js';
import { openStore } from '../store/local-store.js';
import { UnavailableError } from './errors.js';
import { hostSignal } from './host-process.js';
import { startWorker } from './host-worker.js';
import { reach } from './reach.js';
import { prepareStateDir, requireApart } from './server-database.js';
import type { QueueConfig } from './task-queue.js';
import { devicesAt, taskQueueOf } from './task-queue.js';
import { temporalSettings } from './temporal-settings.js';

export interface WorkerOptions {
  project: Pick<Project, 'stateDir' | 'root'>;
  config: QueueConfig;
  taskQueue?: string | undefined;
  credentials: Credentials;
  log: (line: string) => void;
  /** Called when the worker polls. */
  onReady: (worker: { address: string; namespace: string; taskQueue: string; storeId: string; devices: string[] }) => void;
}

/**
 * A worker for a server elsewhere (`perdure worker`): runs until SIGINT or SIGTERM, then lets running activities
 * clean up. Throws an UnavailableError when no server is named, or it cannot be reached within five seconds.
 */
export async function runWorker({ project, config, taskQueue, credentials, log, onReady }: WorkerOptions): Promise<void> {
  const settings = temporalSettings(process.env);
  if (settings === null) throw new UnavailableError('No Temporal server is named.', 'Set TEMPORAL_ADDRESS, or use `perdure up` for a server and a worker on this machine.');
  const { address, namespace, connection } = settings;
  await (await reach(settings)).close();
  requireApart(project);
  await prepareStateDir(project.stateDir);
  const store = await openStore(project.stateDir);
  const queue = taskQueueOf(store, config, taskQueue);
  const signal = hostSignal();
  const worker = await startWorker({ connection, namespace, taskQueue: queue, store, credentials, root: project.root, log });
  onReady({ address, namespace, taskQueue: queue, storeId: store.id, devices: devicesAt(queue, taskQueueOf(store, config), config) });
  signal.addEventListener('abort', () => void worker.stop(), { once: true });
  await worker.ended;
}
