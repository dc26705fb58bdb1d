import { join, relative } from 'node:path';
import { isBelow, realOf } from '../../store/folders/places.js';
import { configuredPaths } from '../../store/git/configured-paths.js';
import { repositoryAt } from '../../store/git/repository.js';
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

/**
 * The folders of a workspace in which its repository is kept, and those of these projects in it, as paths from its
 * root: `.git`, and others where a file of that name says so, or where it has its parts elsewhere.
 */
export async function repositoriesOf(workspace: string, projects: string[]): Promise<string[]> {
  const top = realOf(workspace);
  const found = await Promise.all(
    ['', ...projects].map(async (project) => {
      const { folder, common } = await repositoryAt(join(top, project));
      return [join(project, '.git'), ...[folder, common].map(realOf).map((path) => relative(top, path))];
    }),
  );
  return [...new Set(found.flat())].filter((path) => path !== '' && isBelow(join(top, path), top));
}
