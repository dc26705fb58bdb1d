import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from '../git/git.js';

/** The paths where a commit has a repository of its own; in our trees nothing stands there. */
export async function submodulesOf(git: Git, commit: string): Promise<string[]> {
  const entries = (await git(['ls-tree', '-r', '-z', commit])).toString().split('\0');
  return entries.flatMap((entry) => (entry.startsWith('160000 ') ? [entry.slice(entry.indexOf('\t') + 1)] : []));
}

/** Those of these paths in a tree where somebody has written something, beside folders that come along. */
export function filledOf(tree: string, submodules: string[], carry: string[]): string[] {
  const holdsFiles = (path: string): boolean => {
    const found = carry.includes(path) ? undefined : lstatSync(join(tree, path), { throwIfNoEntry: false });
    if (found?.isDirectory() !== true) return found !== undefined;
    return readdirSync(join(tree, path)).some((name) => holdsFiles(join(path, name)));
  };
  return submodules.filter(holdsFiles);
}
