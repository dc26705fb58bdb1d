import type { DeploymentVersion } from './deployment.js';
import { isSameVersion, versionText } from './deployment.js';
import type { WorkerRecord } from './worker-record.js';

/** How the server gives out what a run requires. */
export interface Routing {
  /** The version that the run is pinned to; null for none. */
  pinned: DeploymentVersion | null;
  /** Workers of that version have taken from the queue of the requirement. */
  isKnown: boolean;
  /** The version that takes from that queue what is not pinned; null for none. */
  current: DeploymentVersion | null;
  /** The same of the queue that all workers of the store poll. */
  currentOfAll: DeploymentVersion | null;
}

/** The versions whose workers may take what a run requires, null for workers without one. */
export function takersOf({ pinned, isKnown, current, currentOfAll }: Routing): (DeploymentVersion | null)[] {
  if (pinned !== null && isKnown) return [pinned];
  // One that has just begun to look is known a moment later.
  const own = pinned === null ? [] : [pinned];
  const others = current === null ? [currentOfAll, null] : [current];
  return [...own, ...others].filter((one, index, all) => all.findIndex((other) => isSameVersion(one, other)) === index);
}

/** Those of the workers that are of one of these versions. */
export function ofVersions(
  workers: readonly WorkerRecord[],
  versions: readonly (DeploymentVersion | null)[],
): WorkerRecord[] {
  return workers.filter(({ deployment = null }) => versions.some((version) => isSameVersion(version, deployment)));
}

/** These versions in words, to follow "a worker". */
export function versionsText(versions: readonly (DeploymentVersion | null)[]): string {
  const named = versions.flatMap((version) => (version === null ? [] : [`\`${versionText(version)}\``]));
  return named.length === 0 ? 'without a version' : `of the version ${named.join(' or ')}`;
}
