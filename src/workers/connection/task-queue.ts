import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import type { DeploymentVersion } from '../../plan/placement/deployment.js';
import { isSameVersion, versionText } from '../../plan/placement/deployment.js';
import type { Plan } from '../../plan/plan.js';
import { everyStep, isDeviceStep } from '../../plan/step.js';
import type { KeyRing } from '../../store/encryption/key-ring.js';
import { timeLimit } from '../../store/time-limit.js';
import { keysSuffix, requireSameKeys } from '../encryption/same-keys.js';
import { UnavailableError } from '../errors.js';
import { shellCommand, shellWord } from '../../plan/text/shell-command.js';

/** A poll waits at most a minute, so whoever has not polled for longer is gone. */
const POLLED_WITHIN_MS = 75_000;
/**
 * How long our host's worker has to poll again after its server was restarted: the SDK pauses up to ten seconds between
 * two tries.
 */
const POLLS_AGAIN_WITHIN_MS = 30_000;
/**
 * A worker's identity ends with its store's id and ids of keys; it stands in four events of every step, so it says no
 * more.
 */
const STORE_AT_END = /^\d+@[^/]+\/([a-z2-7]{8})(?:\+[a-z2-7]{8})*$/;
/** `TASK_QUEUE_TYPE_WORKFLOW` of Temporal's API. */
const WORKFLOW = 1;
/** `WORKER_VERSIONING_MODE_VERSIONED` of Temporal's API. */
const VERSIONED = 2;

/** A namespace of a server that was reached, and the keys by which is encrypted what goes there. */
export interface Namespace {
  connection: Connection;
  namespace: string;
  keys?: KeyRing | null;
}

/** What `perdure.yml` says of queues. */
export interface QueueConfig {
  task_queue?: string | undefined;
  devices?: Record<string, { task_queue?: string | undefined }> | undefined;
}

/** Names of the devices that hang on the host of a queue; `own` is the queue of those that name none. */
export function devicesAt(queue: string, own: string, { devices = {} }: QueueConfig): string[] {
  return Object.entries(devices).flatMap(([name, { task_queue = own }]) => (task_queue === queue ? [name] : []));
}

/** Which queue a command uses: the flag's, the config's, else the store's own (decision 11). */
export function taskQueueOf(store: { id: string }, config: { task_queue?: string | undefined }, flag?: string): string {
  return flag ?? config.task_queue ?? `perdure-${store.id}`;
}

/** A worker's identity, as Temporal's UI shows it: where it runs, which store it has, and by which keys it encrypts. */
export function workerIdentity(store: { id: string }, keys: KeyRing | null = null): string {
  return `${process.pid}@${hostname()}/${store.id}${keysSuffix(keys)}`;
}

/** The stores that these workers have, each once. */
export function storesOf(pollers: string[]): string[] {
  return [...new Set(pollers.flatMap((identity) => STORE_AT_END.exec(identity)?.[1] ?? []))];
}

/** Who polls a queue for workflows: their identities. A worker that was killed is still seen for a minute. */
export async function pollersAt(...queue: Parameters<typeof queueState>): Promise<string[]> {
  return (await queueState(...queue)).pollers.map(({ identity }) => identity);
}

/** Who polls a queue for workflows, and which version takes new ones. */
export interface QueueState {
  pollers: { identity: string; version: DeploymentVersion | null }[];
  /** Null where workers without a version take them. */
  current: DeploymentVersion | null;
  /** When somebody polled it last, in epoch milliseconds of the server's clock; null where it knows of nobody. */
  polledAt: number | null;
}

/** Asks the server how a queue stands. `now` is in epoch milliseconds of its clock, where that is known. */
export async function queueState(
  connection: Connection,
  namespace: string,
  taskQueue: string,
  now = Date.now(),
): Promise<QueueState> {
  const { pollers, versioningInfo } = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: WORKFLOW,
  });
  const seen = (pollers ?? []).map((poller) => ({
    ...poller,
    polled: Number(poller.lastAccessTime?.seconds ?? 0) * 1000,
  }));
  return {
    polledAt: seen.length === 0 ? null : Math.max(...seen.map(({ polled }) => polled)),
    pollers: seen.flatMap(({ identity, polled, deploymentOptions }) => {
      const isVersioned = Number(deploymentOptions?.workerVersioningMode ?? 0) === VERSIONED;
      const version = isVersioned ? versionOf(deploymentOptions) : null;
      return now - polled < POLLED_WITHIN_MS ? [{ identity: identity ?? '', version }] : [];
    }),
    current: versionOf(versioningInfo?.currentDeploymentVersion),
  };
}

/**
 * Sees to it that somebody polls the queues of the hosts that a Plan's devices hang on. Throws an UnavailableError
 * naming the queue and its devices when nobody does: a step there would wait for ever.
 */
export async function requireHosts(
  { connection, namespace, keys = null }: Namespace,
  { steps, nested }: Pick<Plan, 'steps' | 'nested'>,
): Promise<void> {
  const queues = new Map<string, Set<string>>();
  for (const body of [{ steps }, ...Object.values(nested)]) {
    for (const step of everyStep(body)) {
      if (!isDeviceStep(step) || step.device.task_queue === null) continue;
      const { task_queue, name } = step.device;
      queues.set(task_queue, (queues.get(task_queue) ?? new Set()).add(name));
    }
  }
  for (const [queue, devices] of queues) {
    const pollers = await pollersAt(connection, namespace, queue);
    requireSameKeys(queue, pollers, keys);
    if (pollers.length > 0) continue;
    const names = [...devices].map((name) => `\`${name}\``).join(', ');
    throw new UnavailableError(
      `No worker polls the task queue \`${queue}\`, whose host has ${names}.`,
      `Start one there: ${shellCommand('perdure worker', [], `--task-queue ${shellWord(queue)}`)}`,
    );
  }
}

/** A version in the words of Temporal's API; null for none, which there is a version of nobody. */
export function versionOf(
  version: { deploymentName?: string | null; buildId?: string | null } | null | undefined,
): DeploymentVersion | null {
  if (!version?.deploymentName || !version.buildId) return null;
  return { name: version.deploymentName, build: version.buildId };
}

/** Waits until somebody polls a queue, and tells who; nobody when the signal ends the wait. Asks at least once. */
export async function pollersUntil(signal: AbortSignal, ...queue: Parameters<typeof pollersAt>): Promise<string[]> {
  return (await stateUntil(signal, ...queue)).pollers.map(({ identity }) => identity);
}

async function stateUntil(signal: AbortSignal, ...queue: Parameters<typeof queueState>): Promise<QueueState> {
  for (;;) {
    const state = await queueState(...queue);
    if (state.pollers.length > 0 || signal.aborted) return state;
    await pause(20);
  }
}

/**
 * Who polls the link's queue. Beside our own host it waits: a server that was killed knows of no poller until the
 * worker has found its successor. Throws an UnavailableError naming the queue and the store when nobody does.
 */
export async function pollersOf(
  { connection, namespace, taskQueue, embedded, keys = null }: Namespace & { taskQueue: string; embedded: boolean },
  store: { id: string },
): Promise<string[]> {
  const {
    pollers: all,
    current,
    polledAt,
  } = await stateUntil(
    embedded ? timeLimit(POLLS_AGAIN_WITHIN_MS) : AbortSignal.abort(),
    connection,
    namespace,
    taskQueue,
  );
  const pollers = all.map(({ identity }) => identity);
  if (!embedded) {
    requireOneStore(taskQueue, pollers, store);
    requireSameKeys(taskQueue, pollers, keys);
  }
  if (all.some(({ version }) => isSameVersion(version, current))) return pollers;
  if (pollers.length > 0) throw noneOfCurrent(taskQueue, current);
  const fix = embedded ? 'Restart the host: perdure server stop' : 'Start one where that store is: perdure worker';
  throw new UnavailableError(
    `No worker polls the task queue \`${taskQueue}\`, which needs the store \`${store.id}\`.`,
    `${fix}${whenPolled(polledAt)}`,
  );
}

/** The server tells times by its own clock: a worker may seem gone to who has another one. */
function whenPolled(polledAt: number | null): string {
  if (polledAt === null) return '';
  const minutes = Math.round((Date.now() - polledAt) / 60_000);
  return `. One polled it ${minutes} min ago by this machine's clock: where it still runs, that clock is wrong.`;
}

function noneOfCurrent(taskQueue: string, current: DeploymentVersion | null): UnavailableError {
  const who = current === null ? 'without a version' : `of the version \`${versionText(current)}\``;
  const start = current === null ? '' : `--deployment ${shellWord(versionText(current))}`;
  return new UnavailableError(
    `New runs go to workers ${who}, and none of them polls the task queue \`${taskQueue}\`.`,
    `Start one: ${shellCommand('perdure worker', [], start)}; ` +
      'or have another version take them: perdure deployment use NAME:BUILD',
  );
}

/** Throws an UnavailableError where workers of another store poll the queue that a run is about to be started on. */
function requireOneStore(taskQueue: string, pollers: string[], store: { id: string }): void {
  const [other] = storesOf(pollers).filter((id) => id !== store.id);
  if (other !== undefined) throw otherStore(taskQueue, store.id, other);
}

/** What is told where workers of another store poll a queue. */
export function otherStore(taskQueue: string, ours: string, other: string): UnavailableError {
  return new UnavailableError(
    `The task queue \`${taskQueue}\` is polled by workers of the store \`${other}\`, and this is the store ` +
      `\`${ours}\`.`,
    'Give each store a queue of its own (`task_queue:` in perdure.yml, or --task-queue). Where the other one ' +
      'has ended, it is forgotten after a minute.',
  );
}
