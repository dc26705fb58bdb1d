/** What becomes of runs that a version has begun, once another takes new ones: Temporal's words. */
export const VERSIONING_BEHAVIORS = ['pinned', 'auto-upgrade'] as const;
export type VersioningBehavior = (typeof VERSIONING_BEHAVIORS)[number];

/** A version of a deployment: workers of one build. */
export interface DeploymentVersion {
  name: string;
  build: string;
}

/** The version that a worker is of, and what becomes of its runs. */
export interface WorkerDeployment extends DeploymentVersion {
  behavior: VersioningBehavior;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;
const BUILD = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,99}$/;

/** A version as it is written and shown: `name:build`. */
export function versionText({ name, build }: DeploymentVersion): string {
  return `${name}:${build}`;
}

/** The version that a text names, with no build where it names a deployment alone; null of other texts. */
export function versionIn(text: string): { name: string; build: string | null } | null {
  const end = text.indexOf(':');
  const [name, build] = end === -1 ? [text, null] : [text.slice(0, end), text.slice(end + 1)];
  return NAME.test(name) && (build === null || BUILD.test(build)) ? { name, build } : null;
}

/** Tells whether both are the same version, or none. */
export function isSameVersion(one: DeploymentVersion | null, other: DeploymentVersion | null): boolean {
  return one?.name === other?.name && one?.build === other?.build;
}

/** What a run waits for that is pinned to a version of which no worker is there. */
export function versionWaitText(version: string): string {
  return `is pinned to the version \`${version}\`, of which no worker is there`;
}
