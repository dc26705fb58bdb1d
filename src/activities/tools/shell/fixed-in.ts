import type { Store } from '../../../store/store.js';
import { ownCode } from '../../workspace/own-code.js';
import { configuredBelow, repositoriesOf } from '../../workspace/projects-in.js';
import { fixedPaths } from './workspace-mounts.js';

/**
 * All paths of a workspace, from its root, that a program of an agent must not change: what is protected there and in
 * the projects in it, what git goes by, and what Perdure runs.
 */
export async function fixedIn(
  { store, workspace, projects }: { store: Pick<Store, 'folder'>; workspace: string; projects: string[] },
  protectedPaths: string[],
): Promise<string[]> {
  return [
    ...fixedPaths(protectedPaths, projects, await repositoriesOf(workspace, projects)),
    ...(await configuredBelow(workspace, projects)),
    ...ownCode(workspace, projects, store.folder),
  ];
}
