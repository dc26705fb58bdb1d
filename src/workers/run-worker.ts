import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { Worker } from '@temporalio/worker';
import type { NativeConnection } from '@temporalio/worker';
import { createActivities } from '../activities/create-activities.js';
import type { Credentials } from '../activities/dependencies.js';
import type { Store } from '../store/store.js';
import { UnavailableError } from './errors.js';
import { packageRoot } from './package-root.js';

export interface WorkerSetup {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  store: Store;
  credentials: Credentials;
  /** As Temporal's UI shows it; the pid and the machine's name by default. */
  identity?: string;
}

/** Model calls and commands of all runs together; a run's own window is narrower (I11). */
const ACTIVITIES = 100;

/**
 * A worker for the interpreter and its activities, with the prebuilt bundle (decision 9). It polls when `run()` is
 * called. Throws an UnavailableError when the bundle is missing or was made with another version of the SDK.
 */
export async function createWorker({ connection, namespace, taskQueue, store, credentials, identity }: WorkerSetup): Promise<Worker> {
  const codePath = workflowBundle();
  return Worker.create({
    connection,
    namespace,
    taskQueue,
    ...(identity === undefined ? {} : { identity }),
    workflowBundle: { codePath },
    activities: createActivities({ store, credentials }),
    maxConcurrentActivityTaskExecutions: ACTIVITIES,
    maxConcurrentLocalActivityExecutions: ACTIVITIES,
    // Decision 8: a step's activity comes with the completion of the task that scheduled it.
    maxEagerActivityReservationsPerWorkflowTask: 100,
    // Both are how long people wait: for a cancellation to arrive, and for a run to move on from a killed worker.
    maxHeartbeatThrottleInterval: '2s',
    stickyQueueScheduleToStartTimeout: '3s',
    shutdownGraceTime: '10s',
    shutdownForceTime: '15s',
    maxCachedWorkflows: cachedWorkflows(),
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

/** A cached run takes well under a megabyte with `reuseV8Context` (the SDK's default); replaying one takes milliseconds. */
function cachedWorkflows(): number {
  const gigabytes = totalmem() / 1024 ** 3;
  return Math.round(Math.min(1000, Math.max(100, gigabytes * 100)));
}
