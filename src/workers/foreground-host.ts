import type { Credentials } from '../activities/dependencies.js';
import type { Project } from '../compiler/project/project.js';
import type { HostInfo } from './host/control-protocol.js';
import type { NamesVariables } from './credentials.js';
import { hostVariables, mergeCredentials } from './credentials.js';
import type { EncryptionConfig } from './encryption/project-keys.js';
import { projectKeys } from './encryption/project-keys.js';
import { UnavailableError } from './errors.js';
import type { StoreConfig } from './open-store.js';
import { storePlace } from './open-store.js';
import { runHost } from './host/host.js';
import type { HealthPlace } from './telemetry/told-worker.js';
import { closeInherited } from './processes/inherited.js';
import { hostSignal } from './host/host-process.js';

export interface UpOptions {
  project: Pick<Project, 'stateDir' | 'root'>;
  config: NamesVariables & EncryptionConfig & StoreConfig & { task_queue?: string | undefined };
  taskQueue?: string | undefined;
  uiPort?: number | undefined;
  /** Where its worker serves its health; left out for nowhere. */
  health?: HealthPlace | null;
  credentials: Credentials;
  log: (line: string) => void;
  onReady: (host: HostInfo) => void;
}

/**
 * The host in the foreground: runs until SIGINT, SIGTERM, SIGHUP or `server stop`. Throws an UnavailableError when it
 * cannot.
 */
export async function up(options: UpOptions): Promise<void> {
  const { project, config, taskQueue, uiPort, health, credentials, log, onReady } = options;
  closeInherited();
  const end = await runHost({
    stateDir: project.stateDir,
    taskQueue: taskQueue ?? config.task_queue ?? null,
    storePlace: storePlace(config, credentials()),
    idleMs: null,
    env: process.env,
    uiPort: uiPort ?? null,
    health: health ?? null,
    credentials: mergeCredentials({}, hostVariables(credentials(), config)),
    keys: await projectKeys(config, { env: credentials(), root: project.root }),
    log,
    onReady,
    signal: hostSignal(),
  });
  if (end.kind === 'held')
    throw new UnavailableError(
      `A host of \`${project.stateDir}\` runs already.`,
      'See it: perdure server status. End it: perdure server stop',
    );
  if (end.kind === 'failed') throw end.error;
}
