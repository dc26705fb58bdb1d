import type { Connection } from '@temporalio/client';
import type { DeploymentVersion } from '../../plan/placement/deployment.js';
import { isSameVersion, versionText } from '../../plan/placement/deployment.js';
import { versionOf } from '../connection/task-queue.js';
import { grpcCodeOf, messageOf, NOT_FOUND, UnavailableError } from '../errors.js';
import { shellCommand, shellWord } from '../../plan/text/shell-command.js';

/** A namespace of a server that is asked about versions, and who asks. */
export interface VersionServer {
  connection: Pick<Connection, 'workflowService'>;
  namespace: string;
  identity?: string;
}

/** How a version stands: open runs may be pinned to one that drains, and to one that is drained none are. */
export type VersionStatus = 'current' | 'ramping' | 'draining' | 'drained' | 'inactive';

/** A version as the server knows it. */
export interface KnownVersion extends DeploymentVersion {
  status: VersionStatus;
  /** When its first worker came, ISO 8601. */
  created: string;
}

/** A deployment as the server knows it. */
export interface KnownDeployment {
  versions: KnownVersion[];
  current: DeploymentVersion | null;
  /** Changes whenever another version is made current. */
  token: Uint8Array;
}

/** `WORKER_DEPLOYMENT_VERSION_STATUS_*` of Temporal's API, by number. */
const STATUSES: readonly VersionStatus[] = ['inactive', 'inactive', 'current', 'ramping', 'draining', 'drained'];

/** What the server knows of a deployment, the latest version first; null where no worker of it was ever there. */
export async function readDeployment(
  { connection, namespace }: VersionServer,
  name: string,
): Promise<KnownDeployment | null> {
  const found = await connection.workflowService
    .describeWorkerDeployment({ namespace, deploymentName: name })
    .catch((error: unknown) => {
      if (grpcCodeOf(error) === NOT_FOUND) return null;
      throw error;
    });
  if (found === null) return null;
  const { versionSummaries, routingConfig } = found.workerDeploymentInfo ?? {};
  const versions = (versionSummaries ?? []).map(({ deploymentVersion, status, createTime }) => ({
    name,
    build: deploymentVersion?.buildId ?? '',
    status: STATUSES[Number(status ?? 0)] ?? 'inactive',
    created: new Date(Number(createTime?.seconds ?? 0) * 1000).toISOString(),
  }));
  return {
    versions: versions.sort((one, other) => (one.created > other.created ? -1 : 1)),
    current: versionOf(routingConfig?.currentDeploymentVersion),
    token: found.conflictToken,
  };
}

/** The queues that workers of a version have ever taken from; none where the server does not know it. */
export async function queuesKnown(
  { connection, namespace }: VersionServer,
  { name: deploymentName, build: buildId }: DeploymentVersion,
): Promise<Set<string>> {
  try {
    const { versionTaskQueues } = await connection.workflowService.describeWorkerDeploymentVersion({
      namespace,
      deploymentVersion: { deploymentName, buildId },
    });
    return new Set(versionTaskQueues.flatMap(({ name }) => name ?? []));
  } catch (error) {
    if (grpcCodeOf(error) === NOT_FOUND) return new Set();
    throw error;
  }
}

interface Use {
  version: DeploymentVersion;
  /** Also where it has no worker at a queue that the version before had some at. */
  force?: boolean;
  /** Of the deployment as it was read: it is refused where that has changed since. */
  token?: Uint8Array;
}

/**
 * Has a version take new runs, and those that are not pinned to another. Throws an UnavailableError where it is not
 * known, or lacks workers that the one before had.
 */
export async function makeCurrent(
  { connection, namespace, identity = '' }: VersionServer,
  { version, force = false, token }: Use,
): Promise<void> {
  try {
    await connection.workflowService.setWorkerDeploymentCurrentVersion({
      namespace,
      deploymentName: version.name,
      buildId: version.build,
      identity,
      ignoreMissingTaskQueues: force,
      ...(token === undefined ? {} : { conflictToken: token }),
    });
  } catch (error) {
    throw refusal(version, error);
  }
}

/** Pins an open run to a version, from its next task on. Throws an UnavailableError where that is not known. */
export async function pinRun(
  { connection, namespace, identity = '' }: VersionServer,
  run: string,
  version: DeploymentVersion,
): Promise<void> {
  const { name: deploymentName, build: buildId } = version;
  try {
    await connection.workflowService.updateWorkflowExecutionOptions({
      namespace,
      workflowExecution: { workflowId: run },
      workflowExecutionOptions: {
        versioningOverride: { pinned: { version: { deploymentName, buildId }, behavior: OVERRIDE_PINNED } },
      },
      updateMask: { paths: ['versioning_override'] },
      identity,
    });
  } catch (error) {
    throw refusal(version, error);
  }
}

/** `PINNED_OVERRIDE_BEHAVIOR_PINNED` of Temporal's API. */
const OVERRIDE_PINNED = 1;
const FAILED_PRECONDITION = 9;
const MISSING_QUEUES = /missing (?:active )?task queues?/i;

function refusal(version: DeploymentVersion, error: unknown): unknown {
  const named = versionText(version);
  const code = grpcCodeOf(error);
  if (code !== NOT_FOUND && code !== FAILED_PRECONDITION) return error;
  const message = messageOf(error);
  return MISSING_QUEUES.test(message)
    ? new UnavailableError(
        `The version \`${named}\` has no worker for all that the one before does: ${message}`,
        'Start workers of it with the same labels and queues; --force has it take over without them.',
      )
    : new UnavailableError(
        `The server does not take the version \`${named}\`: ${message}`,
        `A worker makes it known: ${shellCommand('perdure worker', [], `--deployment ${shellWord(named)}`)}`,
      );
}

/** Tells whether a deployment has such a version. */
export function hasVersion(deployment: KnownDeployment | null, version: DeploymentVersion): boolean {
  return deployment?.versions.some((known) => isSameVersion(known, version)) === true;
}
