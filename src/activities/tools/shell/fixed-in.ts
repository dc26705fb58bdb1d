import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../../../store/store.js';
import { ownCode } from '../../workspace/own-code.js';
import { configuredBelow, gitTops, repositoriesOf } from '../../workspace/projects-in.js';
import { fixedPaths } from './workspace-mounts.js';

/**
 * All paths of a workspace, from its root, that a program of an agent must not change: what is protected there and in
 * the projects in it, what git goes by, also in submodules, and what Perdure runs.
 */
export async function fixedIn(
  { store, workspace, projects }: { store: Pick<Store, 'folder'>; workspace: string; projects: string[] },
  protectedPaths: string[],
): Promise<string[]> {
  const tops = await gitTops(workspace, projects);
  return [
    ...fixedPaths(protectedPaths, projects, await repositoriesOf(workspace, tops)),
    // A file of that name says where the repository is.
    ...tops.map((top) => join(top, '.git')).filter((path) => isFile(join(workspace, path))),
    ...(await configuredBelow(workspace, tops)),
    ...ownCode(workspace, projects, store.folder),
  ];
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
