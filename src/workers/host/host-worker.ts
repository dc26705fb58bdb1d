import { join } from 'node:path';
import { NativeConnection, Runtime, DefaultLogger } from '@temporalio/worker';
import type { Credentials, WorkerSelf } from '../../activities/dependencies.js';
import type { WorkerDeployment } from '../../plan/placement/deployment.js';
import { ownQueue } from '../../plan/placement/home.js';
import type { WorkerRecord } from '../../plan/placement/worker-record.js';
import { useLauncher } from '../../activities/processes/groups/start-process.js';
import type { Store } from '../../store/store.js';
import { KeyError } from '../../store/encryption/key-error.js';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import { untilVersionTakes } from '../deployment/version-takes.js';
import { dataConverter } from '../encryption/data-converter.js';
import { workerIdentity } from '../connection/task-queue.js';
import { createClient } from '../connection/temporal-client.js';
import { sweepMade } from '../worker/made-sweeper.js';
import { packageRoot } from '../../store/folders/package-root.js';
import { packageVersion } from '../package-root.js';
import { openTelemetry, sdkMetricsFor } from '../telemetry/open-telemetry.js';
import type { HealthPlace } from '../telemetry/told-worker.js';
import { reapOrphans } from '../worker/reaper.js';
import { abilityOf } from '../worker/ability.js';
import type { ActivityQueues } from '../worker/activity-queues.js';
import { createActivityQueues } from '../worker/activity-queues.js';
import { createWorker, workerActivities } from '../worker/create-worker.js';
import type { Presence } from '../worker/presence.js';
import { announceWorker } from '../worker/presence.js';
import { pauseUnreadable, requireReadable } from './require-readable.js';
import { settleOpenRuns } from '../worker/settle-open-runs.js';
import { startWatchdog } from '../worker/watchdog.js';

/** A worker that polls. */
export interface RunningWorker {
  /** Resolves when it was stopped, rejects when it cannot go on. */
  ended: Promise<void>;
  /** Lets running activities clean up, for ten seconds. */
  stop: () => Promise<void>;
}

export interface WorkerPlace {
  connection: WorkerConnection;
  namespace: string;
  taskQueue: string;
  store: Store;
  credentials: Credentials;
  /** By which it encrypts what goes to the server; null or left out for none. */
  keys?: KeyRing | null;
  /** Root of the project whose store it is. */
  root?: string | undefined;
  /** What it has, for steps that require it. */
  labels?: readonly string[];
  /** The version that it is of; null or left out for none. */
  deployment?: WorkerDeployment | null;
  /** Where it serves its health and metrics; null or left out for nowhere. */
  health?: HealthPlace | null;
  log: (line: string) => void;
}

/** How to reach the server: the options of a `NativeConnection`. */
export type WorkerConnection = NonNullable<Parameters<typeof NativeConnection.connect>[0]>;

/**
 * Starts a worker in this process: kills what dead workers of the store left running, sees to it that nothing of this
 * one will be left, connects, and polls. Throws a KeyError where open runs are encrypted with keys that it lacks.
 */
export async function startWorker({
  connection: options,
  log,
  labels = [],
  deployment = null,
  health = null,
  ...setup
}: WorkerPlace): Promise<RunningWorker> {
  const sdkMetrics = await sdkMetricsFor(health);
  installRuntime(log, { keys: setup.keys ?? null, sdkMetrics });
  const killed = await reapOrphans(setup.store.id);
  if (killed.length > 0) log(`killed ${String(killed.length)} processes that a dead worker had left running`);
  const connection = await NativeConnection.connect(options);
  const place = { connection, namespace: setup.namespace, keys: setup.keys ?? null };
  const variables = setup.credentials;
  const telemetry = openTelemetry(setup.store, { health, sdkMetrics, variables, version: packageVersion(), log });
  let found: { queues: ActivityQueues; presence: Presence } | null = null;
  const self: WorkerSelf = {
    id: () => found?.presence.id() ?? '',
    async serveOwn() {
      await found?.presence.seen();
      const own = ownQueue(setup.taskQueue, self.id());
      await found?.queues.serve(own);
      return own;
    },
    async untilTaken(requires) {
      if (deployment === null) return;
      const { store, taskQueue } = setup;
      await found?.presence.look();
      const listWorkers = (): Promise<WorkerRecord[]> => store.listWorkers();
      await untilVersionTakes(place, { version: deployment, taskQueue, requires, listWorkers });
    },
  };
  const activities = workerActivities({ ...setup, traces: telemetry.traces, self });
  const [worker] = await Promise.all([
    createWorker({ connection, activities, deployment, ...setup }),
    readable(createClient(place), { ...setup, ring: place.keys }, log),
    settleOpenRuns({ ...setup, client: createClient(place), log }),
  ]);
  await telemetry.begin({
    ...setup,
    ...place,
    client: createClient(place),
    identity: workerIdentity(setup.store, place.keys),
    state: () => worker.getState(),
  });
  const watchdog = await startWatchdog(setup.store.id, log);
  const leaveLauncher = useLauncher({
    program: join(packageRoot(), 'dist', 'activities', 'processes', 'launcher', 'main.js'),
    store: setup.store.id,
  });
  const sweeping = sweepMade(setup.store, place).then(
    (removed) => removed.forEach((file) => log(`removed the temporary agent ${file}`)),
    (error: unknown) => log(`could not look after temporary agents: ${String(error)}`),
  );
  const leave = setup.store.keepAlive();
  const queues = createActivityQueues(
    {
      connection,
      namespace: setup.namespace,
      identity: workerIdentity(setup.store, place.keys),
      activities,
      deployment,
      ...dataConverter(place.keys),
    },
    (error) => {
      log(`the worker ends, for a queue of it failed: ${String(error)}`);
      shutDown(worker);
    },
  );
  const presence = announceWorker({
    store: setup.store,
    queue: setup.taskQueue,
    ability: abilityOf(labels),
    deployment,
    queues,
    log,
  });
  found = { queues, presence };
  const ended = worker.run().finally(async () => {
    await queues.stop();
    await presence.leave();
    leave();
    leaveLauncher();
    watchdog.release();
    await sweeping;
    await setup.store.logsWritten();
    await telemetry.close();
    await connection.close();
  });
  return {
    ended,
    stop: async () => {
      void presence.drain();
      shutDown(worker);
      void queues.stop();
      await ended.catch((error: unknown) => log(`the worker ended with ${String(error)}`));
    },
  };
}

function shutDown(worker: { getState: () => string; shutdown: () => void }): void {
  if (worker.getState() === 'RUNNING') worker.shutdown();
}

/** What the SDK warns of where a worker takes activities alone, as those of queues of requirements do. */
const ACTIVITIES_ONLY = 'No workflows registered';

let isInstalled = false;

/** Sends the SDK's words to our log, and leaves signals to us. There is one runtime a process. */
function installRuntime(
  log: (line: string) => void,
  { keys, sdkMetrics }: { keys: KeyRing | null; sdkMetrics: string | null },
): void {
  if (isInstalled) return;
  isInstalled = true;
  const wordsOf = keys === null ? allOf : placeOf;
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      if (!message.startsWith(ACTIVITIES_ONLY)) log(`${level} ${message}${errorIn(meta, wordsOf)}`);
    }),
    telemetryOptions: {
      ...(sdkMetrics === null ? {} : { metrics: { prometheus: { bindAddress: sdkMetrics } } }),
      logging: { forward: {}, filter: 'temporalio_sdk_core=WARN,temporalio_client=WARN,temporalio_common=WARN' },
    },
  });
}

function errorIn(meta: Record<string, unknown> | undefined, wordsOf: (error: unknown) => string): string {
  const { error, ...rest } = meta ?? {};
  const details =
    Object.keys(rest).length === 0
      ? ''
      : ` ${JSON.stringify(rest, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`;
  return error === undefined ? details : `${details} ${wordsOf(error)}`;
}

function allOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error);
}

/**
 * Where payloads are encrypted, an error's own words stay out of a log, which may be gathered elsewhere: they are part
 * of what a run is about. They stand in the run.
 */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  if (error instanceof KeyError) return error.message;
  const { name, message, stack = '' } = error;
  const begin = stack.indexOf(message);
  return begin === -1 ? name : `${name}${stack.slice(begin + message.length)}`;
}

/** As `requireReadable`; then schedules that nobody here can read are paused, for which nothing waits. */
async function readable(
  client: ReturnType<typeof createClient>,
  readers: Parameters<typeof pauseUnreadable>[1],
  log: (line: string) => void,
): Promise<void> {
  await requireReadable(client, readers);
  void pauseUnreadable(client, readers).then(
    (paused) => paused.forEach((sentence) => log(sentence)),
    (error: unknown) => log(`Whether schedules can be read is not known: ${String(error)}`),
  );
}
