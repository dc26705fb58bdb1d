import type { VersioningBehavior } from '../../plan/placement/deployment.js';
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

/** The version that an open run is with, and whether a worker of it is there. */
export interface RunVersion {
  version: string;
  behavior: VersioningBehavior;
  isServed: boolean;
}

/** Asks the server which version a run is with; null for none, and for a run that the server does not know. */
export async function versionOfRun(
  { connection, namespace }: Pick<TemporalLink, 'connection' | 'namespace'>,
  run: string,
  store: Pick<Store, 'listWorkers'>,
): Promise<RunVersion | null> {
  const found = await connection.workflowService
    .describeWorkflowExecution({ namespace, execution: { workflowId: run } })
    .catch(() => null);
  const info = found?.workflowExecutionInfo?.versioningInfo;
  const override = info?.versioningOverride;
  const version = versionOf(override?.pinned?.version) ?? versionOf(info?.deploymentVersion);
  if (version === null) return null;
  const isPinned = override == null ? Number(info?.behavior) === PINNED_BEHAVIOR : override.pinned != null;
  return {
    version: versionText(version),
    behavior: isPinned ? 'pinned' : 'auto-upgrade',
    isServed: servedVersions(await store.listWorkers()).has(versionText(version)),
  };
}

/** `VERSIONING_BEHAVIOR_PINNED` of Temporal's API. */
const PINNED_BEHAVIOR = 1;

/** The versions of which workers are there that take new work. */
export function servedVersions(workers: WorkerRecord[]): Set<string> {
  return new Set(taking(workers).flatMap(({ deployment }) => (deployment ? [versionText(deployment)] : [])));
}
