import { copyFile, rename, stat, utimes } from 'node:fs/promises';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { copyingAt } from '../git/copy-folder.js';
import { EMPTY_TREE, indexFiles, withIndex } from '../git/index-files.js';
import type { Value } from '../../plan/values/value.js';
import type { Trees } from './branch.js';
import { addCommit, commitOf, messageOf, opened, tipOf, withBranch } from './branch.js';
import type { Conflict } from './conflicts.js';
import { asIn, keepConflicts, openConflicts, shownConflicts, withoutAsides } from './conflicts.js';
import { carriedNow, carryFrom, carryInto } from './carry.js';
import { doneBy, keepDone } from './done-work.js';
import { TreesMissing } from './make-trees.js';
import { mergeTrees, treeOf } from './merge.js';
import type { Lease, LeaseOptions } from '../folders/lease.js';
import { MAIN_TREE } from './places.js';
import { filledOf, submodulesOf } from './submodules.js';
import { addTree, askGit, removeTree, setStart, startOf } from './tree-repository.js';

/**
 * Where a project has its state folder: what a run writes under that name is no work, and would be brought into it.
 */
const STATE = '.perdure';

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
  /** By which a rerun knows what was done; absent where it is not kept. */
  key?: string;
  /** What the step yields. */
  output?: Value | null;
  /** Why a path may not be changed; null for one that may. Absent where all may. */
  denies?: (path: string) => string | null;
  /** Somebody takes it as it is: with conflicts, and without what else keeps it from being committed. */
  asItIs?: boolean;
}

/**
 * Work that nobody would get: repositories that were made, files in submodules, those whose names are no UTF-8, and
 * what may not be read.
 */
interface Lost {
  kind: 'inside' | 'submodule' | 'unnamed' | 'unread';
  paths: string[];
}

/** What came of it. `conflict`: others have changed the same of these files; both versions stand in the tree now. */
export type Committed =
  | { kind: 'committed'; commit: string; branch: string }
  | { kind: 'unchanged' }
  | { kind: 'conflict'; conflicts: Conflict[] }
  | Lost
  | { kind: 'denied'; reasons: string[] };

/**
 * Gives a step its tree, with the files of the branch as they are now; a tree that it has already stays as it is, with
 * what an earlier try left.
 */
export async function beginWork(
  stateDir: string,
  run: string,
  tree: string,
  options: LeaseOptions = {},
): Promise<void> {
  const trees = await opened(stateDir, run);
  if ((await startOf(trees, tree)) !== null) return;
  const { places, made } = trees;
  const carried = (): Promise<string> => carriedNow(places, made.carry);
  const make = async (lease?: Lease): Promise<string> => {
    const tip = await tipOf(trees);
    await addTree(trees, tree, tip);
    await carryInto(places, places.tree(tree), made.carry);
    lease?.require();
    return tip;
  };
  // Others may commit while it is made. Where one of them has replaced what goes along, a part may be missing: then it
  // is made anew while nobody commits.
  const before = made.carry.length === 0 ? '' : await withBranch(trees, options, carried);
  const tip = await make().catch(async (error: unknown) => {
    if (before === (await carried())) throw error;
    return null;
  });
  const isWhole = tip !== null && before === (await carried());
  await setStart(trees, tree, isWhole ? tip : await withBranch(trees, options, make));
}

/**
 * Commits what a step has changed in its tree, on top of the branch: one commit, without merges. One at a time, of all
 * processes; a commit that was made is found again by its step and try. The tree is removed then.
 */
export async function commitWork(stateDir: string, work: Work, options: LeaseOptions = {}): Promise<Committed> {
  const trees = await opened(stateDir, work.run);
  return withBranch(trees, options, async (lease) => {
    const known = await commitOf(trees, work);
    const start = await startOf(trees, work.tree);
    const ended = known === null ? await endedUnchanged(trees, work, start) : committed(trees, known);
    const done = ended ?? (await bring(trees, work, start, lease));
    if (done.kind !== 'committed' && done.kind !== 'unchanged') return done;
    if (work.key !== undefined && start !== null) {
      const commit = done.kind === 'committed' ? done.commit : null;
      await keepDone(trees.places, work.key, { start, commit, output: work.output ?? null });
    }
    await close(trees, work.tree);
    return done;
  });
}

/** The end of a worker that was lost while it removed the tree: of a step that had changed nothing no commit tells. */
async function endedUnchanged({ places }: Trees, { key }: Work, start: string | null): Promise<Committed | null> {
  const done = start !== null || key === undefined ? null : await doneBy(places, key);
  return done?.commit === null ? { kind: 'unchanged' } : null;
}

function committed({ made: { branch } }: Trees, commit: string): Committed {
  return { kind: 'committed', commit, branch };
}

async function bring(trees: Trees, work: Work, start: string | null, lease: Lease): Promise<Committed> {
  if (start === null) throw new TreesMissing(work.run);
  const { asItIs = false } = work;
  const written = await writeTree(trees, work.tree, start);
  const lost = lostOf(written);
  if (lost !== null && !asItIs) return lost;
  const shown = await openConflicts(trees, work.tree, written.tree);
  if (shown.open.length > 0 && !asItIs) return { kind: 'conflict', conflicts: shown.open };
  const { reasons, tree } = await allowedOf(trees, work, start, shown.tree);
  if (reasons.length > 0 && !asItIs) return { kind: 'denied', reasons };
  if (tree === (await treeOf(trees, start))) return { kind: 'unchanged' };
  const tip = await tipOf(trees);
  const onto = await treeOf(trees, tip);
  const merged = await mergeTrees(trees, { start, tree, onto });
  const both = await shownConflicts(trees, merged, { start, onto, mine: tree });
  if (both.conflicts.length > 0 && !asItIs) {
    await showConflict(trees, work.tree, { ...both, tip });
    return { kind: 'conflict', conflicts: both.conflicts };
  }
  const whole = await withoutAsides(trees, both.tree, both.conflicts);
  if (whole === onto) return { kind: 'unchanged' };
  lease.require();
  const { run, step, try: tried, key, subject, body } = work;
  const commit = await addCommit(trees, whole, tip, messageOf(subject, body, { run, step, try: tried, key }));
  return committed(trees, commit);
}

/** What of a tree no commit can have; null where nothing. */
function lostOf({ inside, filled, unnamed, unread }: WrittenTree): Lost | null {
  const found: Lost[] = [
    { kind: 'inside', paths: inside },
    { kind: 'submodule', paths: filled },
    { kind: 'unnamed', paths: unnamed },
    { kind: 'unread', paths: unread },
  ];
  return found.find(({ paths }) => paths.length > 0) ?? null;
}

/** Why some of what was changed may not be, and the tree without that. */
async function allowedOf(
  trees: Trees,
  { denies }: Work,
  start: string,
  tree: string,
): Promise<{ reasons: string[]; tree: string }> {
  if (denies === undefined) return { reasons: [], tree };
  const words = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', start, tree];
  const changed = (await trees.git(words)).toString().split('\0');
  const denied = changed.flatMap((path) => {
    const reason = path === '' ? null : denies(path);
    return reason === null ? [] : [{ path, reason }];
  });
  const paths = denied.map(({ path }) => path);
  return { reasons: denied.map(({ reason }) => reason), tree: await asIn(trees, { tree, paths, from: start }) };
}

/** What stands in a tree, as git names it, and what nobody would get. */
interface WrittenTree {
  tree: string;
  /** Repositories that were made in it. */
  inside: string[];
  /** Submodules in which files were made. */
  filled: string[];
  /** Files whose names are no UTF-8. */
  unnamed: string[];
  /** What may not be read. */
  unread: string[];
}

/** Writes what stands in a tree. */
export async function writeTree(trees: Trees, name: string, start: string): Promise<WrittenTree> {
  const { places, git, made } = trees;
  return withTreeIndex(trees, name, async (index) => {
    const top = realpathSync(places.tree(name));
    const known = await submodulesOf(git, start);
    const {
      repositories: inside,
      unnamed,
      unread,
    } = await indexFiles(
      {
        git,
        repository: { top, folder: '', common: '' },
        below: '',
        without: [...known, ...made.carry, ...made.carry.map(copyingAt), STATE],
        place: { workTree: top, index },
      },
      { leaveInside: true },
    );
    const tree = await askGit(trees, ['write-tree'], { index });
    return { tree: tree || EMPTY_TREE, inside, unnamed, unread, filled: filledOf(top, known, made.carry) };
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

/** Puts both sides into the step's tree, which is on the tip from now on: who works there brings them together. */
async function showConflict(
  trees: Trees,
  name: string,
  { tree, conflicts, tip }: { tree: string; conflicts: Conflict[]; tip: string },
): Promise<void> {
  // First, so that a half-made tree is never taken for one without conflicts.
  await keepConflicts(trees, name, conflicts);
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

/** Brings the run's own tree to the branch, and removes the step's. */
async function close(trees: Trees, name: string): Promise<void> {
  const { places, made } = trees;
  await bringHome(trees);
  if (existsSync(places.tree(name))) await carryFrom(places, places.tree(name), made.carry);
  await carryInto(places, places.tree(MAIN_TREE), made.carry);
  await removeTree(trees, name);
}

/** Brings the run's own tree to the branch. */
export async function bringHome(trees: Trees): Promise<void> {
  const tip = await tipOf(trees);
  if ((await startOf(trees, MAIN_TREE)) === tip) return;
  await refreshMain(trees, tip);
  await setStart(trees, MAIN_TREE, tip);
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
