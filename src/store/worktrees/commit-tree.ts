import { copyFile, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { GitError } from '../git/git.js';
import { EMPTY_TREE, indexFiles, withIndex } from '../git/index-files.js';
import { carryFrom, carryInto } from './carry.js';
import type { Lease, LeaseOptions } from './lease.js';
import { withLease } from './lease.js';
import type { MadeTrees } from './make-trees.js';
import { openTrees } from './make-trees.js';
import { MAIN_TREE } from './places.js';
import type { TreeRepository } from './tree-repository.js';
import { COMMITTER, addTree, askGit, removeTree, setStart, startOf } from './tree-repository.js';

/** Which step commits, and what it says. */
export interface Work {
  run: string;
  /** Name of the step's tree. */
  tree: string;
  /** The step's path, and its try: what was committed for these is not committed again. */
  step: string;
  try: number;
  /** One line. */
  subject: string;
  /** Empty for none. */
  body: string;
}

/** What came of it. `conflict`: others have changed the same lines of these files; both stand in the tree now. */
export type Committed =
  | { kind: 'committed'; commit: string; branch: string }
  | { kind: 'unchanged' }
  | { kind: 'conflict'; paths: string[] }
  | { kind: 'inside'; paths: string[] };

/** The trees of a run that were made before were removed since. */
export class TreesMissing extends Error {
  constructor(run: string) {
    super(`The work trees of \`${run}\` are not there any more.`);
  }
}

type Trees = TreeRepository & { made: MadeTrees };

/**
 * Gives a step its tree, with the files of the branch as they are now; a tree that it has already stays as it is, with
 * what an earlier try left.
 */
export async function beginWork(stateDir: string, run: string, tree: string): Promise<void> {
  const trees = await opened(stateDir, run);
  if ((await startOf(trees, tree)) !== null) return;
  await addTree(trees, tree, await tipOf(trees));
  await carryInto(trees.places, trees.places.tree(tree), trees.made.carry);
}

/**
 * Commits what a step has changed in its tree, on top of the branch: one commit, without merges. One at a time, of all
 * processes; a commit that was made is found again by its step and try. The tree is removed then.
 */
export async function commitWork(stateDir: string, work: Work, options: LeaseOptions = {}): Promise<Committed> {
  const trees = await opened(stateDir, work.run);
  return withLease(join(trees.places.folder, 'lease'), options, async (lease) => {
    if (lease.wasLost) await removeLocks(trees);
    const known = await commitOf(trees, work);
    const done = known === null ? await bring(trees, work, lease) : committed(trees, known);
    if (done.kind === 'committed' || done.kind === 'unchanged') await close(trees, work.tree);
    return done;
  });
}

function committed({ made: { branch } }: Trees, commit: string): Committed {
  return { kind: 'committed', commit, branch };
}

/** The commit of a step and try; null where none was made. */
export async function commitOf(trees: Trees, { step, try: tried, run }: Omit<Work, 'tree'>): Promise<string | null> {
  const found = (await commitsOf(trees)).find(
    (commit) => commit.run === run && commit.step === encodeURI(step) && commit.try === String(tried),
  );
  return found?.commit ?? null;
}

/** A commit of the branch, as its trailers tell. */
export interface BranchCommit {
  commit: string;
  subject: string;
  body: string;
  run: string;
  step: string;
  try: string;
}

/** What was committed on the branch since it began, the first first. */
export async function commitsOf(trees: Trees): Promise<BranchCommit[]> {
  const trailer = (name: string): string => `%(trailers:key=Perdure-${name},valueonly,separator=)`;
  const format = ['%H', '%s', '%b', trailer('Run'), trailer('Step'), trailer('Try')].join('%x1f');
  const range = `${trees.made.base}..refs/heads/${trees.made.branch}`;
  const text = (await trees.git(['log', '-z', '--reverse', `--format=${format}`, range])).toString();
  return text
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [commit = '', subject = '', body = '', run = '', step = '', tried = ''] = entry.split('\x1f');
      return { commit, subject, body: body.replace(/\n*(?:Perdure-\w+: .*\n?)+$/, ''), run, step, try: tried };
    });
}

export async function tipOf(trees: Trees): Promise<string> {
  return askGit(trees, ['rev-parse', `refs/heads/${trees.made.branch}`]);
}

async function bring(trees: Trees, work: Work, lease: Lease): Promise<Committed> {
  const start = await startOf(trees, work.tree);
  if (start === null) throw new TreesMissing(work.run);
  const written = await writeTree(trees, work.tree, start);
  if (written.inside.length > 0) return { kind: 'inside', paths: written.inside };
  const open = await openConflicts(trees, work.tree, written.tree);
  if (open.length > 0) return { kind: 'conflict', paths: open };
  if (written.tree === (await treeOf(trees, start))) return { kind: 'unchanged' };
  const tip = await tipOf(trees);
  const merged = start === tip ? { tree: written.tree, conflicts: [] } : await merge(trees, written.tree, start, tip);
  if (merged.conflicts.length > 0) {
    await showConflict(trees, work.tree, { ...merged, tip });
    return { kind: 'conflict', paths: merged.conflicts };
  }
  if (merged.tree === (await treeOf(trees, tip))) return { kind: 'unchanged' };
  const commit = await askGit(trees, ['commit-tree', merged.tree, '-p', tip, '-F', '-'], {
    env: COMMITTER,
    input: messageOf(work),
  });
  lease.require();
  // Also fails where another has committed since.
  await trees.git(['update-ref', `refs/heads/${trees.made.branch}`, commit, tip]);
  return committed(trees, commit);
}

function messageOf({ subject, body, run, step, try: tried }: Work): string {
  const trailers = [`Perdure-Run: ${run}`, `Perdure-Step: ${encodeURI(step)}`, `Perdure-Try: ${String(tried)}`];
  return `${[subject, ...(body === '' ? [] : [body]), trailers.join('\n')].join('\n\n')}\n`;
}

/** Writes what stands in a tree; `inside` are repositories that were made in it, whose files nobody would get. */
async function writeTree(trees: Trees, name: string, start: string): Promise<{ tree: string; inside: string[] }> {
  const { places, git, made } = trees;
  return withTreeIndex(trees, name, async (index) => {
    const top = realpathSync(places.tree(name));
    const linked = (await git(['ls-tree', '-r', '-z', start])).toString().split('\0');
    const known = linked.flatMap((entry) =>
      entry.startsWith('160000 ') ? [entry.slice(entry.indexOf('\t') + 1)] : [],
    );
    const inside = await indexFiles(
      {
        git,
        repository: { top, folder: '', common: '' },
        below: '',
        without: [...known, ...made.carry],
        place: { workTree: top, index },
      },
      { leaveInside: true },
    );
    const tree = await askGit(trees, ['write-tree'], { index });
    return { tree: tree || EMPTY_TREE, inside };
  });
}

/** Works on a copy of a tree's index, which takes its place: nothing that is killed leaves a lock on it. */
async function withTreeIndex<T>(trees: Trees, name: string, use: (index: string) => Promise<T>): Promise<T> {
  const own = join(realpathSync(trees.places.admin(name)), 'index');
  return withIndex(realpathSync(trees.places.git), async ({ index }) => {
    const found = await stat(own).catch(() => null);
    if (found !== null) {
      await copyFile(own, index);
      await utimes(index, found.mtime, found.mtime);
    }
    const result = await use(index);
    await rename(index, own);
    return result;
  });
}

async function treeOf(trees: Trees, commit: string): Promise<string> {
  return askGit(trees, ['rev-parse', `${commit}^{tree}`]);
}

/** Brings what was changed since `start` onto `tip`; with conflicts it has both sides in the files that it names. */
async function merge(
  trees: Trees,
  tree: string,
  start: string,
  tip: string,
): Promise<{ tree: string; conflicts: string[] }> {
  const own = await askGit(trees, ['commit-tree', tree, '-p', start, '-m', 'work'], { env: COMMITTER });
  const words = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', tip, own];
  try {
    return { tree: (await trees.git(words)).toString().split('\0')[0] ?? '', conflicts: [] };
  } catch (error) {
    if (!(error instanceof GitError) || error.exitCode !== 1) throw error;
    const [merged = '', ...paths] = error.printed.toString().split('\0');
    return { tree: merged, conflicts: [...new Set(paths.filter((path) => path !== ''))].sort() };
  } finally {
    // Nothing leads to it any more.
    await rm(join(trees.places.git, 'objects', own.slice(0, 2), own.slice(2)), { force: true });
  }
}

/** Puts both sides into the step's tree, which is on the tip from now on: who works there brings them together. */
async function showConflict(
  trees: Trees,
  name: string,
  { tree, conflicts, tip }: { tree: string; conflicts: string[]; tip: string },
): Promise<void> {
  // First, so that a half-made tree is never taken for one without conflicts.
  await writeFile(conflictFile(trees, name), JSON.stringify(conflicts), { flush: true });
  await bringFiles(trees, name, tree);
  await setStart(trees, name, tip);
}

async function bringFiles(trees: Trees, name: string, tree: string): Promise<void> {
  await withTreeIndex(trees, name, (index) =>
    trees.git(['read-tree', '--reset', '-u', tree], {
      workTree: realpathSync(trees.places.tree(name)),
      writes: true,
      index,
    }),
  );
}

/** Files in which both sides of a conflict still stand. */
async function openConflicts(trees: Trees, name: string, tree: string): Promise<string[]> {
  const text = await readFile(conflictFile(trees, name), 'utf8').catch(() => null);
  if (text === null) return [];
  const open: string[] = [];
  for (const path of JSON.parse(text) as string[]) {
    const content = await trees.git(['cat-file', 'blob', `${tree}:${path}`]).catch(() => Buffer.alloc(0));
    if (/^(?:<{7}|>{7}) /m.test(content.toString('latin1'))) open.push(path);
  }
  return open;
}

function conflictFile({ places }: Trees, name: string): string {
  return join(places.admin(name), 'conflicts.json');
}

/** Brings the run's own tree to the branch, and removes the step's. */
async function close(trees: Trees, name: string): Promise<void> {
  const { places, made } = trees;
  const tip = await tipOf(trees);
  if ((await startOf(trees, MAIN_TREE)) !== tip) {
    await refreshMain(trees, tip);
    await setStart(trees, MAIN_TREE, tip);
  }
  if (existsSync(places.tree(name))) await carryFrom(places, places.tree(name), made.carry);
  await carryInto(places, places.tree(MAIN_TREE), made.carry);
  await removeTree(trees, name);
}

/** What others left in it stays, but where the branch says something else of the same file. */
async function refreshMain(trees: Trees, tip: string): Promise<void> {
  const start = await startOf(trees, MAIN_TREE);
  const place = { workTree: realpathSync(trees.places.tree(MAIN_TREE)), writes: true };
  await withTreeIndex(trees, MAIN_TREE, async (index) => {
    const gently = start === null ? null : trees.git(['read-tree', '-m', '-u', start, tip], { ...place, index });
    await (gently ?? Promise.reject(new Error('no start'))).catch(() =>
      trees.git(['read-tree', '--reset', '-u', tip], { ...place, index }),
    );
  });
}

/** What a holder that was killed has left locked. */
async function removeLocks({ places }: Trees): Promise<void> {
  const folder = join(places.git, 'refs', 'heads', 'perdure');
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) if (name.endsWith('.lock')) await rm(join(folder, name), { force: true });
}

async function opened(stateDir: string, run: string): Promise<Trees> {
  const trees = await openTrees(stateDir, run);
  if (trees === null) throw new TreesMissing(run);
  return trees;
}
