import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import type { NativeConnection } from '@temporalio/worker';
import { createActivities } from '../activities/create-activities.js';
import type { Credentials } from '../activities/dependencies.js';
import type { Store } from '../store/store.js';
import { UnavailableError } from './errors.js';
import { packageRoot } from './package-root.js';
import { WORKER_OPTIONS } from './worker-options.js';

export interface WorkerSetup {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  store: Store;
  credentials: Credentials;
  /** As Temporal's UI shows it; the pid and the machine's name by default. */
  identity?: string;
}

/**
 * A worker for the interpreter and its activities, with the prebuilt bundle (decision 9). It polls when `run()` is
 * called. Throws an UnavailableError when the bundle is missing or was made with another version of the SDK.
 */
export async function createWorker({ connection, namespace, taskQueue, store, credentials, identity }: WorkerSetup): Promise<Worker> {
  const codePath = workflowBundle();
  return Worker.create({
    ...WORKER_OPTIONS,
    connection,
    namespace,
    taskQueue,
    ...(identity === undefined ? {} : { identity }),
    workflowBundle: { codePath },
    activities: createActivities({ store, credentials }),
  });
}

/** The bundle's path, once it is known to fit this SDK. */
export function workflowBundle(): string {
  const path = process.env['PERDURE_WORKFLOW_BUNDLE'] ?? join(packageRoot(), 'dist', 'workflow-bundle.js');
  const hint = 'Build it: npm run build';
  if (!existsSync(path)) throw new UnavailableError(`The workflow bundle \`${path}\` is missing.`, hint);
  const made = sdkOf(path.replace(/\.js$/, '.json'));
  const ours = sdkVersion();
  if (made !== ours) throw new UnavailableError(`Expected the workflow bundle \`${path}\` to be made with version ${ours} of the Temporal SDK, got \`${made ?? 'no version'}\`.`, hint);
  return path;
}

function sdkOf(path: string): string | null {
  try {
    const { sdk } = JSON.parse(readFileSync(path, 'utf8')) as { sdk?: string }; // written by our build
    return sdk ?? null;
  } catch {
    return null;
  }
}

function sdkVersion(): string {
  const { version } = createRequire(import.meta.url)('@temporalio/worker/package.json') as { version: string }; // npm's format
  return version;
}
