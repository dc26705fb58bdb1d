import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { NativeConnection, Worker } from '@temporalio/worker';
import type { Activities } from '../../activities/contract.js';
import { createActivities } from '../../activities/create-activities.js';
import { APPROVAL_KEY, withGivenKey } from '../../store/records/given-key.js';
import type { WorkerDeployment } from '../../plan/placement/deployment.js';
import type { Credentials, WorkerSelf } from '../../activities/dependencies.js';
import type { Store } from '../../store/store.js';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import { versionOptions } from '../deployment/version-options.js';
import { dataConverter } from '../encryption/data-converter.js';
import { UnavailableError } from '../errors.js';
import { InterpreterWorker } from '../workflow-thread/interpreter-worker.js';
import { temporalSettings } from '../connection/temporal-settings.js';
import { createGateForecast } from '../forecast/gate-forecast.js';
import { createMadeCompiler, createMakers } from './made-compiler.js';
import { packageRoot } from '../../store/folders/package-root.js';
import { workerIdentity } from '../connection/task-queue.js';
import type { TraceOutbox } from '../telemetry/trace-outbox.js';
import { WORKER_OPTIONS } from './worker-options.js';

export interface WorkerSetup {
  connection: NativeConnection;
  namespace: string;
  taskQueue: string;
  store: Store;
  credentials: Credentials;
  /** By which it encrypts what goes to the server; null or left out for none. */
  keys?: KeyRing | null;
  /** Root of the project whose store it is. */
  root?: string | undefined;
  /** Those of this process, where it takes from other queues too. */
  activities?: Activities;
  /** Sends the traces of runs that end. */
  traces?: Pick<TraceOutbox, 'announce'> | undefined;
  /** The version that it is of; null or left out for none. */
  deployment?: WorkerDeployment | null;
  /** As Temporal's UI shows it; by default it names the process, the machine and the store. */
  identity?: string;
}

/**
 * A worker for the interpreter and its activities, with the prebuilt bundle (decision 9). It polls when `run()` is
 * called. Throws an UnavailableError when the bundle is missing or was made with another version of the SDK.
 */
export async function createWorker({
  connection,
  namespace,
  taskQueue,
  store,
  keys = null,
  identity = workerIdentity(store, keys),
  deployment = null,
  ...setup
}: WorkerSetup): Promise<Worker> {
  const { codePath, buildId } = workflowBundle();
  return InterpreterWorker.create({
    ...WORKER_OPTIONS,
    ...dataConverter(keys),
    ...(deployment === null ? { buildId } : versionOptions(deployment)),
    connection,
    namespace,
    taskQueue,
    identity,
    workflowBundle: { codePath },
    activities: setup.activities ?? workerActivities({ store, ...setup }),
  });
}

/** The activities of a worker; a process that takes from several queues has them once. */
export function workerActivities({
  store,
  credentials,
  root,
  traces,
  self,
}: Pick<WorkerSetup, 'store' | 'credentials' | 'root' | 'traces'> & { self?: WorkerSelf }): Activities {
  return createActivities({
    store: withGivenKey(store, credentials),
    credentials: () => withoutKey(credentials()),
    ...(root === undefined ? {} : { root }),
    ...(traces === undefined ? {} : { announceTrace: traces.announce }),
    ...(self === undefined ? {} : { self }),
    ...(store.homes === null && temporalSettings(process.env) === null ? {} : { notesServer: true }),
    compile: createMadeCompiler(store),
    forecastGate: createGateForecast(store, credentials),
    ...createMakers(store),
    boardProgram: join(packageRoot(), 'dist', 'activities', 'devices', 'board', 'main.js'),
  });
}

/** What signs decisions is for the store alone. */
function withoutKey({ [APPROVAL_KEY]: _key, ...credentials }: ReturnType<Credentials>): ReturnType<Credentials> {
  return credentials;
}

export interface WorkflowBundle {
  codePath: string;
  /** Names this bundle in histories. */
  buildId: string;
}

/** The prebuilt bundle, once it is known to fit this SDK. */
export function workflowBundle(): WorkflowBundle {
  const codePath = process.env['PERDURE_WORKFLOW_BUNDLE'] ?? join(packageRoot(), 'dist', 'workflow-bundle.js');
  const hint = 'Build it: npm run build';
  if (!existsSync(codePath)) throw new UnavailableError(`The workflow bundle \`${codePath}\` is missing.`, hint);
  const made = madeWith(codePath.replace(/\.js$/, '.json'));
  const ours = sdkVersion();
  if (made?.sdk !== ours)
    throw new UnavailableError(
      `Expected the workflow bundle \`${codePath}\` to be made with version ${ours} of the Temporal SDK, got ` +
        `\`${made?.sdk ?? 'no version'}\`.`,
      hint,
    );
  return { codePath, buildId: made.buildId };
}

function madeWith(path: string): { sdk: string; buildId: string } | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as { sdk: string; buildId: string }; // written by our build
  } catch {
    return null;
  }
}

function sdkVersion(): string {
  // npm's format
  const { version } = createRequire(import.meta.url)('@temporalio/worker/package.json') as { version: string };
  return version;
}
