import type { VersioningBehavior, WorkerDeployment } from '../../plan/placement/deployment.js';
import { versionIn } from '../../plan/placement/deployment.js';
import { UnavailableError } from '../errors.js';
import { buildId, packageVersion } from '../package-root.js';

/**
 * The version that `--deployment` names, `NAME` or `NAME:BUILD`; null where it is left out. Without a build it is this
 * program's own. Throws an UnavailableError for what is none.
 */
export function deploymentIn(text: string | null, behavior: VersioningBehavior | null): WorkerDeployment | null {
  if (text === null || text === '') {
    if (behavior === null) return null;
    throw new UnavailableError(
      'Expected `--versioning` beside `--deployment`: only runs of workers with a version can be pinned.',
      `Name the version: --deployment NAME:BUILD --versioning ${behavior}`,
    );
  }
  const version = versionIn(text);
  if (version === null)
    throw new UnavailableError(
      `Expected a deployment and a build of letters, digits, \`-\` and \`_\` (in a build also \`.\` and \`+\`), ` +
        `got \`${text}\`.`,
      'With a colon between: --deployment shop:2026-11-26',
    );
  return { name: version.name, build: version.build ?? ownBuild(), behavior: behavior ?? 'pinned' };
}

/** What was built from other files has another one. */
function ownBuild(): string {
  const hash = (buildId() ?? '').replace(/[^a-z0-9]/gi, '').slice(0, 12);
  return hash === '' ? packageVersion() : `${packageVersion()}-${hash}`;
}
