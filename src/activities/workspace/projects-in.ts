import { join } from 'node:path';
import { configuredPaths } from '../../store/git/configured-paths.js';
import { trustedBelow } from '../../store/records/trusted-projects.js';
import type { Store } from '../../store/store.js';

/**
 * The projects in a workspace that a person trusts, as paths from its root. What is protected at its root is so at
 * theirs: an agent of the outer project must not write what the inner one goes by. Throws `StoreFailure`.
 */
export async function projectsIn({ folder }: Pick<Store, 'folder'>, workspace: string): Promise<string[]> {
  return folder === null ? [] : trustedBelow(folder, workspace);
}

/** What git goes by in a workspace and in these projects in it, as paths from the workspace's root. */
export async function configuredBelow(workspace: string, projects: string[]): Promise<string[]> {
  const found = await Promise.all(
    ['', ...projects].map(async (project) =>
      (await configuredPaths(join(workspace, project))).map((path) => join(project, path)),
    ),
  );
  return found.flat();
}
