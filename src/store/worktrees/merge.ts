import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { GitError } from '../git/git.js';
import type { TreePlaces } from './places.js';
import type { TreeRepository } from './tree-repository.js';
import { COMMITTER, askGit } from './tree-repository.js';

/** The tree of a commit. */
export async function treeOf(repository: TreeRepository, commit: string): Promise<string> {
  return askGit(repository, ['rev-parse', `${commit}^{tree}`]);
}

/** What became of a merge; with conflicts its tree has both sides in the files that they name. */
export interface Merged {
  tree: string;
  conflicts: string[];
}

/** Brings what was changed from the commit `start` to a tree onto the files of another. */
export async function mergeTrees(
  repository: TreeRepository,
  { start, tree, onto }: { start: string; tree: string; onto: string },
): Promise<Merged> {
  if (onto === (await treeOf(repository, start))) return { tree, conflicts: [] };
  // Commits of their own: git looks for what both sides came from, and that is `start`.
  const sides = [];
  for (const side of [onto, tree])
    sides.push(await askGit(repository, ['commit-tree', side, '-p', start, '-m', 'work'], { env: COMMITTER }));
  const words = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ...sides];
  try {
    return { tree: (await repository.git(words)).toString().split('\0')[0] ?? '', conflicts: [] };
  } catch (error) {
    if (!(error instanceof GitError) || error.exitCode !== 1) throw error;
    const [merged = '', ...paths] = error.printed.toString().split('\0');
    return { tree: merged, conflicts: [...new Set(paths.filter((path) => path !== ''))].sort() };
  } finally {
    // Nothing leads to them any more.
    for (const side of sides)
      await rm(join(repository.places.git, 'objects', side.slice(0, 2), side.slice(2)), { force: true });
  }
}

/** Gives a repository the objects of another run's, once. */
export async function takeObjects({ places }: TreeRepository, from: TreePlaces): Promise<void> {
  const marks = join(places.folder, 'objects-of');
  const mark = join(marks, from.folder.slice(from.folder.lastIndexOf('/') + 1));
  if (existsSync(mark)) return;
  const isInfo = (path: string): boolean => path === join(from.git, 'objects', 'info');
  await cp(join(from.git, 'objects'), join(places.git, 'objects'), {
    recursive: true,
    force: false,
    filter: (path) => !isInfo(path),
  });
  await mkdir(marks, { recursive: true, mode: 0o700 });
  await writeFile(mark, '');
}
