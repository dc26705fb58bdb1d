import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from '../files.js';
import { withIndex } from '../git/index-files.js';
import type { Trees } from './branch.js';
import type { Merged } from './merge.js';
import { readIfThere } from '../read-regular.js';

/** A file that two steps have changed in ways that git cannot bring together, as it stands in the later one's tree. */
export interface Conflict {
  path: string;
  /**
   * Where the two versions stand: between marks in the file; in two files, one of which is `aside`; as the one that has
   * changed it, where the other removed it; or each by a name of its own.
   */
  kind: 'marked' | 'aside' | 'removed' | 'renamed';
  /** The file beside it with the other version. It is never committed. */
  aside?: string;
  /** What was put at the path, as mode and git's name of the content; empty for no file. */
  shown?: string;
}

const [MINE, OTHERS] = ['~mine', '~others'];
const MARKS = /^(?:<{7}|>{7}) /m;

/**
 * Says how each conflict of a merge stands, and gives a tree in which it can be seen: where both versions cannot stand
 * in one file (a binary one, a link, a file in place of a folder), that of the others keeps the name, and the step's
 * own stands beside it.
 */
export async function shownConflicts(
  trees: Trees,
  merged: Merged,
  { start, onto, mine }: { start: string; onto: string; mine: string },
): Promise<{ tree: string; conflicts: Conflict[] }> {
  if (merged.conflicts.length === 0) return { tree: merged.tree, conflicts: [] };
  const [all, before] = [await entriesIn(trees, merged.tree), await entriesIn(trees, start)];
  const [theirs, own] = [await entriesIn(trees, onto), await entriesIn(trees, mine)];
  const edits: Edit[] = [];
  const conflicts: Conflict[] = [];
  const put = (path: string, ending: string, entry: string): void => {
    let aside = `${path}${ending}`;
    while (all.has(aside)) aside += ending;
    edits.push({ path: aside, entry });
    conflicts.push({ path, kind: 'aside', aside, shown: all.get(path) ?? '' });
  };
  for (const { path, name, isMine } of merged.moved) {
    const entry = all.get(name);
    if (entry === undefined) continue;
    edits.push({ path: name, entry: null });
    put(path, isMine ? MINE : OTHERS, entry);
  }
  const moved = new Set(merged.moved.map(({ path }) => path));
  for (const path of merged.conflicts.filter((path) => !moved.has(path))) {
    const [now, other, mineNow] = [all.get(path), theirs.get(path), own.get(path)];
    if (now !== undefined && (await isMarked(trees, merged.tree, path))) conflicts.push({ path, kind: 'marked' });
    else if (now !== undefined && now === other && mineNow !== undefined) put(path, MINE, mineNow);
    else conflicts.push({ path, kind: now !== undefined && before.has(path) ? 'removed' : 'renamed' });
  }
  return { tree: await edited(trees, merged.tree, edits), conflicts };
}

/** Says in a tree's own folder which conflicts were shown there. */
export async function keepConflicts({ places }: Trees, name: string, conflicts: Conflict[]): Promise<void> {
  await writeAtomically(fileOf(places, name), JSON.stringify(conflicts));
}

/**
 * Conflicts that were shown and that nobody has dealt with: marks still stand, or a file beside another while that is
 * as it was. Gives the tree without files that were put beside others, too.
 */
export async function openConflicts(
  trees: Trees,
  name: string,
  tree: string,
): Promise<{ open: Conflict[]; tree: string }> {
  const text = await readIfThere(fileOf(trees.places, name));
  if (text === null) return { open: [], tree };
  const conflicts = JSON.parse(text) as Conflict[];
  const now = await entriesIn(trees, tree);
  const open: Conflict[] = [];
  for (const conflict of conflicts) {
    const { path, kind, aside = '', shown } = conflict;
    const isAsShown = kind === 'aside' && now.has(aside) && (now.get(path) ?? '') === shown;
    if (isAsShown || (kind === 'marked' && now.has(path) && (await isMarked(trees, tree, path)))) open.push(conflict);
  }
  return { open, tree: await withoutAsides(trees, tree, conflicts) };
}

/** A tree without the files that were put beside others. */
export async function withoutAsides(trees: Trees, tree: string, conflicts: Conflict[]): Promise<string> {
  const asides = conflicts.flatMap(({ aside }) => aside ?? []);
  if (asides.length === 0) return tree;
  const now = await entriesIn(trees, tree);
  const standing = asides.filter((path) => now.has(path));
  return edited(
    trees,
    tree,
    standing.map((path) => ({ path, entry: null })),
  );
}

/** A tree in which these paths are as in another one. A folder may come in place of a file: git makes room. */
export async function asIn(
  trees: Trees,
  { tree, paths, from }: { tree: string; paths: string[]; from: string },
): Promise<string> {
  if (paths.length === 0) return tree;
  const then = await entriesIn(trees, from);
  return edited(
    trees,
    tree,
    paths.map((path) => ({ path, entry: then.get(path) ?? null })),
  );
}

function fileOf(places: Trees['places'], name: string): string {
  return join(places.admin(name), 'conflicts.json');
}

async function isMarked({ git }: Trees, tree: string, path: string): Promise<boolean> {
  const content = await git(['cat-file', 'blob', `${tree}:${path}`]).catch(() => Buffer.alloc(0));
  return MARKS.test(content.toString('latin1'));
}

/** Mode and git's name of the content of each file of a tree, by path. */
async function entriesIn({ git }: Trees, tree: string): Promise<Map<string, string>> {
  const entries = (await git(['ls-tree', '-r', '-z', '--full-tree', tree])).toString().split('\0').slice(0, -1);
  return new Map(
    entries.map((entry) => {
      const [mode = '', , hash = ''] = entry.slice(0, entry.indexOf('\t')).split(' ');
      return [entry.slice(entry.indexOf('\t') + 1), `${mode} ${hash}`];
    }),
  );
}

/** What a path shall hold; null for nothing. */
interface Edit {
  path: string;
  entry: string | null;
}

async function edited(trees: Trees, tree: string, edits: Edit[]): Promise<string> {
  if (edits.length === 0) return tree;
  return withIndex(realpathSync(trees.places.git), async ({ index }) => {
    await trees.git(['read-tree', tree], { index });
    const input = edits.map(({ path, entry }) => `${entry ?? `0 ${'0'.repeat(40)}`}\t${path}\0`).join('');
    await trees.git(['update-index', '-z', '--index-info'], { index, input });
    return (await trees.git(['write-tree'], { index })).toString().trim();
  });
}
