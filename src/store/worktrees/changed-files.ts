import { rawChanges } from '../git/raw-diff.js';
import type { BranchCommit, Trees } from './branch.js';
import { commitsOf } from './branch.js';

/** A file as git knows its content; null where it is not there. */
export interface ChangedFile {
  path: string;
  blob: string | null;
}

/** A commit of a run's branch, with the files that it left in another way than it found them. */
export interface CommitFiles extends BranchCommit {
  files: ChangedFile[];
}

/** The files that a run began with. */
export async function filesAtBase({ git, made }: Trees): Promise<ChangedFile[]> {
  const told = (await git(['ls-tree', '-r', '-z', made.base])).toString();
  return told.split('\0').flatMap((entry) => {
    const [head = '', path = ''] = entry.split('\t');
    return path === '' ? [] : [{ path, blob: head.split(' ')[2] ?? null }];
  });
}

/** What each commit of the branch has changed, the first first. */
export async function filesByCommit(trees: Trees): Promise<CommitFiles[]> {
  const all: CommitFiles[] = [];
  for (const commit of await commitsOf(trees)) {
    const words = ['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', `${commit.commit}^`, commit.commit];
    const changes = rawChanges((await trees.git(words)).toString());
    const files = changes.map(({ path, after }) => ({ path, blob: after?.hash ?? null }));
    all.push({ ...commit, files });
  }
  return all;
}
