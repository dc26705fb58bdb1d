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

/** What became of a merge; with conflicts its tree has both sides in the files that they name, as far as it can. */
export interface Merged {
  tree: string;
  conflicts: string[];
  /** Of these the files that have another name in the tree, since a folder or another kind of file has theirs. */
  moved: { path: string; name: string; isMine: boolean }[];
}

/** Brings what was changed from the commit `start` to a tree onto the files of another. */
export async function mergeTrees(
  repository: TreeRepository,
  { start, tree, onto }: { start: string; tree: string; onto: string },
): Promise<Merged> {
  if (onto === (await treeOf(repository, start))) return { tree, conflicts: [], moved: [] };
  // Commits of their own: git looks for what both sides came from, and that is `start`.
  const sides: string[] = [];
  for (const side of [onto, tree])
    sides.push(await askGit(repository, ['commit-tree', side, '-p', start, '-m', 'work'], { env: COMMITTER }));
  const words = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ...sides];
  try {
    const [whole = ''] = (await repository.git(words)).toString().split('\0');
    return { tree: whole, conflicts: [], moved: [] };
  } catch (error) {
    if (!(error instanceof GitError) || error.exitCode !== 1) throw error;
    const [merged = '', ...names] = error.printed.toString().split('\0');
    const moved = names.flatMap((name) => movedFile(name, sides) ?? []);
    const others = new Set(moved.map(({ name }) => name));
    const paths = [...names.filter((name) => name !== '' && !others.has(name)), ...moved.map(({ path }) => path)];
    return { tree: merged, conflicts: [...new Set(paths)].sort(), moved };
  } finally {
    // Nothing leads to them any more.
    for (const side of sides)
      await rm(join(repository.places.git, 'objects', side.slice(0, 2), side.slice(2)), { force: true });
  }
}

/** A name that git has made of a path and of the commit whose file it is. */
function movedFile(name: string, [onto, mine]: string[]): Merged['moved'][number] | null {
  const [, path, side] = /^(.+)~([0-9a-f]{40})(?:_\d+)?$/.exec(name) ?? [];
  if (path === undefined || (side !== onto && side !== mine)) return null;
  return { path, name, isMine: side === mine };
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
