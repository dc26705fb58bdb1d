import type { DeploymentVersion } from '../../plan/placement/deployment.js';
import { queueFor, requirementIn, unservedOf, workerText } from '../../plan/placement/requirement.js';
import { ofVersions, takersOf, versionsText } from '../../plan/placement/takers.js';
import type { WorkerRecord } from '../../plan/placement/worker-record.js';
import type { Store } from '../../store/store.js';
import { queueState } from '../../workers/connection/task-queue.js';
import { queuesKnown } from '../../workers/deployment/server-versions.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import { rootOf } from './view/view.js';

/** What a step of an open run requires, and where that run is. */
export interface Required {
  run: string;
  /** Of the requirement. */
  key: string;
  /** The queue that all workers of its store poll. */
  queue: string;
  /** The version that the run is pinned to; null for none. */
  pinned: DeploymentVersion | null;
}

/** The worker in words that a step waits for; null where one that may take it is there. */
export type MissingWorker = (required: Required) => Promise<string | null>;

type Server = Pick<TemporalLink, 'connection' | 'namespace'>;

/** Compares requirements with the workers that were there a moment ago. The server is asked once about each queue. */
export function missingWorkers(
  server: Server,
  workers: readonly WorkerRecord[],
  { homes }: Pick<Store, 'homes'>,
): MissingWorker {
  const asked = new Map<string, Promise<(DeploymentVersion | null)[] | null>>();
  const takers = (required: Required): Promise<(DeploymentVersion | null)[] | null> => {
    const { queue, key, pinned } = required;
    const name = JSON.stringify([queue, key, pinned]);
    const found = asked.get(name) ?? askTakers(server, workers, required);
    asked.set(name, found);
    return found;
  };
  return async (required) => {
    const { key, run } = required;
    const versions = await takers(required);
    const [missing] = unservedOf([key], versions === null ? workers : ofVersions(workers, versions));
    if (missing === undefined) return null;
    if (versions === null) return workerText(key);
    // What works with files that travel is done by who has them, of whatever version.
    const elsewhere = unservedOf([key], workers).length === 0;
    if (elsewhere && (await homes?.readHome(rootOf(run)))?.isThere === true) return null;
    return workerText(key, versionsText(versions));
  };
}

/** Null where workers have no versions here: whoever meets it takes it. */
async function askTakers(
  { connection, namespace }: Server,
  workers: readonly WorkerRecord[],
  { key, queue, pinned }: Required,
): Promise<(DeploymentVersion | null)[] | null> {
  if (pinned === null && workers.every(({ deployment }) => deployment === undefined)) return null;
  const own = queueFor(queue, requirementIn(key));
  const [known, { current }, { current: currentOfAll }] = await Promise.all([
    pinned === null ? new Set<string>() : queuesKnown({ connection, namespace }, pinned),
    queueState(connection, namespace, own),
    queueState(connection, namespace, queue),
  ]);
  return takersOf({ pinned, isKnown: known.has(own), current, currentOfAll });
}
