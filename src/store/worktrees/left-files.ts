import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Trees } from './branch.js';
import { writeTree } from './commit-tree.js';
import { withLease } from '../folders/lease.js';
import { MAIN_TREE } from './places.js';
import { startOf } from './tree-repository.js';

/** All that stands in a tree. */
export interface LeftFiles {
  /** Git's name of it. */
  tree: string;
  /** Repositories that were made in it, whose files are not in `tree`. */
  inside: string[];
  /** Files whose names are no UTF-8: they are not in it either. */
  unnamed: string[];
  /** Likewise what may not be read, or has too long a path; folders have a `/` at the end. */
  unread: string[];
}

/**
 * What stands in a run's own tree: what steps without `commit` have written, too. Null where that tree is not there any
 * more.
 */
export async function filesInTree(trees: Trees): Promise<LeftFiles | null> {
  // The index of the tree is also that of the worker.
  return withLease(join(trees.places.folder, 'lease'), {}, async () => {
    const start = await startOf(trees, MAIN_TREE);
    if (start === null || !existsSync(trees.places.tree(MAIN_TREE))) return null;
    return writeTree(trees, MAIN_TREE, start);
  });
}
