import type { DeploymentVersion } from './deployment.js';
import { isSameVersion } from './deployment.js';
import { queueFor, requirementIn } from './requirement.js';
import type { WorkerRecord } from './worker-record.js';

/** The queues that workers of a version take from now: none where no worker of it is there. */
export function queuesOfVersion(workers: readonly WorkerRecord[], version: DeploymentVersion): Set<string> {
  const own = workers.filter(({ deployment, draining }) => !draining && isSameVersion(deployment ?? null, version));
  return new Set(
    own.flatMap(({ queue, serves }) => [queue, ...serves.map((key) => queueFor(queue, requirementIn(key)))]),
  );
}
