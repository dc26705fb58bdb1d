import type { Git } from '../git/git.js';
import { sha256 } from '../hash.js';

/** Two trees that a store keeps, and what of them does not count: folders and files, from the workspace. */
export interface Compared {
  from: string;
  to: string;
  without?: string[];
}

/**
 * What has changed from one tree to another, as a patch of texts; null where git does not say, for one of them was
 * removed.
 */
export async function patchBetween(git: Git, { from, to, without = [] }: Compared): Promise<string | null> {
  const form = ['-r', '-p', '--no-renames', '--no-ext-diff', '--no-textconv'];
  const apart = without.map((path) => `:(exclude,literal)${path}`);
  const told = await git(['diff-tree', ...form, from, to, '--', '.', ...apart]).catch(() => null);
  return told?.toString() ?? null;
}

/** The hash of what is in a tree; null where git does not say. */
export async function contentOf(git: Git, tree: string, without: string[] = []): Promise<string | null> {
  const told = await git(['ls-tree', '-r', '-z', tree]).catch(() => null);
  if (told === null) return null;
  const isApart = (entry: string): boolean => {
    const path = entry.slice(entry.indexOf('\t') + 1);
    return without.some((one) => path === one || path.startsWith(`${one}/`));
  };
  return sha256(
    told
      .toString()
      .split('\0')
      .filter((entry) => !isApart(entry))
      .join('\0'),
  );
}
