import { lstatSync } from 'node:fs';
import { join, relative } from 'node:path';
import { entryAt } from '../../store/folders/entry-at.js';
import { isBelow, realOf } from '../../store/folders/places.js';
import { configuredPaths } from '../../store/git/configured-paths.js';
import { gitlinksOf } from '../../store/git/gitlinks.js';
import { repositoryAt, repositoryOf } from '../../store/git/repository.js';
import { trustedBelow } from '../../store/records/trusted-projects.js';
import type { Store } from '../../store/store.js';
import type { Unnamed } from './unnamed.js';
import { unnamedOn } from './unnamed.js';

/**
 * The projects in a workspace that a person trusts, as paths from its root. What is protected at its root is so at
 * theirs: an agent of the outer project must not write what the inner one goes by. Throws `StoreFailure`.
 */
export async function projectsIn({ folder }: Pick<Store, 'folder'>, workspace: string): Promise<string[]> {
  return folder === null ? [] : trustedBelow(folder, workspace);
}

/**
 * Of a trusted project in a workspace, beside what is protected there: what its agents are told as the word of who
 * keeps it. Of the workspace's own a run may change it, and it is told as a run's then.
 */
export const KEPT_IN_PROJECTS = ['AGENTS.md'];

/**
 * Where a workspace has what git goes by: at its root, at those of these projects in it, and at those of repositories
 * that are there and that git enters from one of these by itself, such as submodules. As paths from its root.
 */
export async function gitTops(workspace: string, projects: string[]): Promise<string[]> {
  const top = realOf(workspace);
  const tops = new Set(['', ...projects]);
  // What one of them names is looked at, too: the set grows meanwhile.
  for (const at of tops) {
    const outer = repositoryOf(join(top, at));
    if (outer === null) continue;
    for (const path of gitlinksOf(await repositoryAt(outer)).links) {
      const inner = join(outer, path);
      if (isBelow(inner, top) && entryAt(join(inner, '.git')) !== null) tops.add(relative(top, inner));
    }
  }
  return [...tops];
}

/**
 * Of the repositories that git enters from these roots by itself, those to which a folder leads whose name is no UTF-8:
 * the first such folder on the way to each.
 */
export async function unnamedBelow(workspace: string, tops: string[]): Promise<Unnamed[]> {
  const root = realOf(workspace);
  const found = await Promise.all(
    tops.map(async (top) => {
      const outer = repositoryOf(join(root, top));
      const paths = outer === null ? [] : gitlinksOf(await repositoryAt(outer)).unnamed;
      return paths.flatMap((path) => (outer === null || !isRepository(outer, path) ? [] : unnamedOn(outer, path)));
    }),
  );
  return found.flat().filter(({ folder }) => isBelow(folder, root));
}

function isRepository(outer: string, path: Buffer): boolean {
  try {
    lstatSync(Buffer.concat([Buffer.from(`${outer}/`), path, Buffer.from('/.git')]));
    return true;
  } catch {
    return false;
  }
}

/** What git goes by at these roots in a workspace because it is configured so, as paths from the workspace's root. */
export async function configuredBelow(workspace: string, tops: string[]): Promise<string[]> {
  const found = await Promise.all(
    tops.map(async (top) => (await configuredPaths(join(workspace, top))).map((path) => join(top, path))),
  );
  return found.flat();
}

/**
 * The folders of a workspace in which the repositories of these roots in it are kept, as paths from its own root:
 * `.git`, and others where a file of that name says so, or where a repository has its parts elsewhere.
 */
export async function repositoriesOf(workspace: string, tops: string[]): Promise<string[]> {
  const root = realOf(workspace);
  const found = await Promise.all(
    tops.map(async (top) => {
      const { folder, common } = await repositoryAt(join(root, top));
      return [join(top, '.git'), ...[folder, common].map(realOf).map((path) => relative(root, path))];
    }),
  );
  return [...new Set(found.flat())].filter((path) => path !== '' && isBelow(join(root, path), root));
}
