import { setTimeout as pause } from 'node:timers/promises';
import type { Requirement } from '../../plan/names.js';
import type { DeploymentVersion } from '../../plan/placement/deployment.js';
import { isSameVersion } from '../../plan/placement/deployment.js';
import { labelsOf, queueFor } from '../../plan/placement/requirement.js';
import type { WorkerRecord } from '../../plan/placement/worker-record.js';
import type { VersionServer } from './server-versions.js';
import { queuesKnown } from './server-versions.js';

/** Workers look for new requirements every two seconds, and the server hears of a queue by its first poll. */
const KNOWN_MS = 10_000;
const LOOK_MS = 100;

interface Required {
  version: DeploymentVersion;
  /** The queue that all workers of the store poll. */
  taskQueue: string;
  requires: Requirement;
  listWorkers: () => Promise<WorkerRecord[]>;
}

/**
 * Waits until the server knows that workers of a version take what requires this: until then it would give that to the
 * version that takes new runs. Waits for nothing where none of them has the labels, and at most ten seconds: whether
 * they have a program is known once they have looked.
 */
export async function untilVersionTakes(
  server: VersionServer,
  { version, taskQueue, requires, listWorkers }: Required,
): Promise<void> {
  const queue = queueFor(taskQueue, requires);
  const mayTake = ({ deployment, draining, labels }: WorkerRecord): boolean =>
    isSameVersion(deployment ?? null, version) &&
    !draining &&
    labelsOf(requires).every((label) => labels.includes(label));
  for (const until = Date.now() + KNOWN_MS; Date.now() < until; await pause(LOOK_MS)) {
    const known = await queuesKnown(server, version).catch(() => new Set()); // asked again: the step cannot go on yet
    if (known.has(queue) || !(await listWorkers()).some(mayTake)) return;
  }
}
