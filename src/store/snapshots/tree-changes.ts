import type { Git } from '../git/git.js';
import { sha256 } from '../hash.js';

/** Of so many files that have changed the patch is made. */
const MOST_FILES = 500;

/** Two trees that a store keeps. */
export interface Compared {
  from: string;
  to: string;
  /** Whether a file counts, by its path from the workspace. */
  counts: (path: string) => boolean;
}

/**
 * What has changed from one tree to another, as a patch of texts; null where git does not say, for one of them was
 * removed.
 */
export async function patchBetween(git: Git, { from, to, counts }: Compared): Promise<string | null> {
  const compare = (form: string[], paths: string[]): Promise<Buffer | null> =>
    git(['--literal-pathspecs', 'diff-tree', '-r', '--no-renames', ...form, from, to, '--', ...paths]).catch(
      () => null,
    );
  const names = await compare(['-z', '--name-only'], []);
  if (names === null) return null;
  const paths = names
    .toString()
    .split('\0')
    .filter((path) => path !== '' && counts(path));
  if (paths.length === 0) return '';
  const patch = await compare(['-p', '--no-ext-diff', '--no-textconv'], paths.slice(0, MOST_FILES));
  return patch?.toString() ?? null;
}

/** The hash of the files in a tree that count; null where git does not say. */
export async function contentOf(git: Git, tree: string, counts: Compared['counts']): Promise<string | null> {
  const told = await git(['ls-tree', '-r', '-z', tree]).catch(() => null);
  if (told === null) return null;
  const entries = told.toString().split('\0');
  return sha256(entries.filter((entry) => counts(entry.slice(entry.indexOf('\t') + 1))).join('\0'));
}
