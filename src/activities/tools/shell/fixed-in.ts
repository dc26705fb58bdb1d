import { join } from 'node:path';
import { entryAt } from '../../../store/folders/entry-at.js';
import type { Store } from '../../../store/store.js';
import { ownCode } from '../../workspace/own-code.js';
import { keptOf } from '../../workspace/kept-of.js';
import { configuredBelow, gitTops, repositoriesOf } from '../../workspace/projects-in.js';
import { fixedPaths } from './workspace-mounts.js';

/** A run of a store, with its workspace and the trusted projects in that. */
interface Place {
  store: Pick<Store, 'folder' | 'readSubmitted'>;
  run: string;
  workspace: string;
  projects: string[];
}

/**
 * All paths of a workspace, from its root, that a program of an agent must not change: what is protected there and in
 * the projects in it, what the run was started from, what settings start, what git goes by, also in submodules, and
 * what Perdure runs.
 */
export async function fixedIn({ store, run, workspace, projects }: Place, protectedPaths: string[]): Promise<string[]> {
  const tops = await gitTops(workspace, projects);
  return [
    ...fixedPaths(protectedPaths, projects, await repositoriesOf(workspace, tops)),
    ...(await keptOf(store, run)),
    // A file of that name says where the repository is.
    ...tops.map((top) => join(top, '.git')).filter((path) => entryAt(join(workspace, path))?.isFile()),
    ...(await configuredBelow(workspace, tops)),
    ...ownCode(workspace, projects, store.folder),
  ];
}
