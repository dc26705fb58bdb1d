import type { DeploymentVersion, VersioningBehavior } from '../../plan/placement/deployment.js';
import { isSameVersion, versionText } from '../../plan/placement/deployment.js';
import type { WorkerRecord } from '../../plan/placement/worker-record.js';
import type { Store } from '../../store/store.js';
import type { VersionStatus } from '../../workers/deployment/server-versions.js';
import { readDeployment } from '../../workers/deployment/server-versions.js';
import { queueState, versionOf } from '../../workers/connection/task-queue.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import { INTERPRETER } from '../../plan/names.js';

/** A version of workers, with how many of them are there and how many open runs are pinned to it. */
export interface ListedVersion {
  version: string;
  status: VersionStatus;
  created: string;
  workers: number;
  pinned_runs: number;
}

/** The versions of the deployments that the workers of a store belong to, the latest first. */
export async function versionsOf(link: TemporalLink, store: Pick<Store, 'listWorkers'>): Promise<ListedVersion[]> {
  const workers = await store.listWorkers();
  const { current } = await queueState(link.connection, link.namespace, link.taskQueue);
  const names = new Set(workers.flatMap(({ deployment }) => (deployment === undefined ? [] : [deployment.name])));
  if (current !== null) names.add(current.name);
  const found: ListedVersion[] = [];
  for (const name of names) {
    for (const { status, created, ...version } of (await readDeployment(link, name))?.versions ?? []) {
      const query = `${PINNED} AND TemporalWorkerDeploymentVersion = '${versionText(version)}'`;
      const { count } = await link.client.workflow.count(query);
      const workersOf = taking(workers).filter(({ deployment }) => isSameVersion(deployment ?? null, version));
      found.push({ version: versionText(version), status, created, workers: workersOf.length, pinned_runs: count });
    }
  }
  return found;
}

const PINNED =
  `WorkflowType = '${INTERPRETER}' AND ExecutionStatus = 'Running' ` +
  `AND TemporalWorkflowVersioningBehavior = 'Pinned'`;

function taking(workers: WorkerRecord[]): WorkerRecord[] {
  return workers.filter(({ draining }) => !draining);
}

/** Where an open run is. */
export interface RunPlace {
  /** The queue that all workers of its store poll. */
  queue: string;
  /** The version that it is with; null for none. */
  version: (DeploymentVersion & { behavior: VersioningBehavior }) | null;
}

/** Asks the server where a run is; null for a run that it does not know. */
export async function placeOfRun(
  { connection, namespace }: Pick<TemporalLink, 'connection' | 'namespace'>,
  run: string,
): Promise<RunPlace | null> {
  const found = await connection.workflowService
    .describeWorkflowExecution({ namespace, execution: { workflowId: run } })
    .catch(() => null);
  if (found === null) return null;
  const { versioningInfo: info, taskQueue } = found.workflowExecutionInfo ?? {};
  const override = info?.versioningOverride;
  const version = versionOf(override?.pinned?.version) ?? versionOf(info?.deploymentVersion);
  const isPinned = override == null ? Number(info?.behavior) === PINNED_BEHAVIOR : override.pinned != null;
  return {
    queue: taskQueue ?? '',
    version: version === null ? null : { ...version, behavior: isPinned ? 'pinned' : 'auto-upgrade' },
  };
}

/** The version that an open run is with, and whether a worker of it is there. */
export interface RunVersion {
  version: string;
  behavior: VersioningBehavior;
  isServed: boolean;
}

/** Looks whether workers are there of the version that a run is with; null where it is with none. */
export async function runVersion({ version }: RunPlace, store: Pick<Store, 'listWorkers'>): Promise<RunVersion | null> {
  if (version === null) return null;
  const named = versionText(version);
  const isServed = servedVersions(await store.listWorkers()).has(named);
  return { version: named, behavior: version.behavior, isServed };
}

/** `VERSIONING_BEHAVIOR_PINNED` of Temporal's API. */
const PINNED_BEHAVIOR = 1;

/** The versions of which workers are there that take new work. */
export function servedVersions(workers: WorkerRecord[]): Set<string> {
  return new Set(taking(workers).flatMap(({ deployment }) => (deployment ? [versionText(deployment)] : [])));
}
