import { realpath, rm, writeFile } from 'node:fs/promises';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { branchOf } from '../../plan/worktree.js';
import { writeAtomically } from '../files.js';
import { removeFolder } from '../folders/remove.js';
import { PRIVATE_FILE, makeFolders } from '../folders/root.js';
import { EMPTY_TREE, indexFiles, withIndex } from '../git/index-files.js';
import type { Repository } from '../git/repository.js';
import { excludesOf, headOf, repositoryAt, repositoryOf } from '../git/repository.js';
import { hide } from '../git/work-tree.js';
import { readPlain } from '../read-plain.js';
import { appliedUntil } from './applied.js';
import { carryFromProject, carryInto } from './carry.js';
import type { LeaseOptions } from '../folders/lease.js';
import { withLease } from '../folders/lease.js';
import { mergeTrees, takeObjects, treeOf } from './merge.js';
import { tellingWhatIsMissing } from './objects-missing.js';
import { keepFiles } from './own-objects.js';
import { MAIN_TREE, treePlaces } from './places.js';
import { submodulesOf } from './submodules.js';
import type { TreePlaces } from './places.js';
import type { TreeRepository } from './tree-repository.js';
import {
  COMMITTER,
  addTree,
  askGit,
  makeTreeRepository,
  openTreeRepository,
  setStart,
  stopBorrowing,
} from './tree-repository.js';
import { readIfThere } from '../read-regular.js';

/** What is known of a run's work trees: `made.json`, written when the first one is there. */
export interface MadeTrees {
  branch: string;
  /** The commit that holds the files as the run found them. */
  base: string;
  /** The project's commit below that; null where its history is none of ours. */
  parent: string | null;
  /** The run whose work it begins with. */
  from?: string;
  /** The commit on that with what an earlier run has built, where it begins with that. */
  taken?: string;
  /** Files of the project that were not as its commit has them. */
  uncommitted: number;
  /** Repositories inside the project, whose files are not in the work tree. */
  inside: string[];
  /** Files of the project whose names are no UTF-8 and that no commit has: they are not in the work tree. */
  unnamed?: string[];
  /** Likewise what of the project may not be read, or has too long a path; folders have a `/` at the end. */
  unread?: string[];
  /** Folders that git ignores and that go from tree to tree. */
  carry: string[];
}

/** What a work tree is made from. */
export interface TreeSource {
  run: string;
  /** The project's folder. */
  project: string;
  carry: string[];
  /** Megabytes that these have together at most, where they go to the store. */
  carry_mb?: number;
  /** A run whose work it begins with. */
  from?: string;
}

/** The commit that a run's own work stands on. */
export function beginningOf({ base, taken }: MadeTrees): string {
  return taken ?? base;
}

/** What an earlier run has built does not fit the files of the project any more. */
export class UnfitWork extends Error {
  constructor(run: string, paths: string[]) {
    const shown = paths
      .slice(0, 5)
      .map((path) => `\`${path}\``)
      .join(', ');
    super(
      `What \`${run}\` has built does not fit what stands in the project now: ${shown}. ` +
        'Put your changes aside, or apply it first.',
    );
  }
}

/** The trees of a run that were made before were removed since. */
export class TreesMissing extends Error {
  constructor(run: string) {
    super(`The work trees of \`${run}\` are not there any more.`);
  }
}

const COMMIT = /^[0-9a-f]{40}$/;
const SHALLOW_BYTES = 16 * 1024 * 1024;

/** What is known of a run's work trees; null where there are none, or the first is not made yet. */
export async function madeTrees(stateDir: string, run: string): Promise<MadeTrees | null> {
  const text = await readIfThere(madeFile(treePlaces(stateDir, run)));
  return text === null ? null : (JSON.parse(text) as MadeTrees); // we wrote it whole
}

/**
 * Makes the work tree of a run: its files are those of the project as they are, uncommitted changes included, and its
 * repository is one of ours. The project's own is read as data; nothing is written there, and nothing that it says is
 * done. What was made stands, and what was left half made is made anew.
 */
export async function makeTrees(stateDir: string, source: TreeSource, options: LeaseOptions = {}): Promise<MadeTrees> {
  const places = treePlaces(stateDir, source.run);
  makeFolders(places.folder);
  return withLease(join(places.folder, 'lease'), options, async () => {
    const known = await madeTrees(stateDir, source.run);
    if (known !== null) return known;
    for (const left of [places.git, places.trees]) await removeFolder(left);
    const made = await make(await realpath(stateDir), places, { ...source, project: await realpath(source.project) });
    await writeAtomically(madeFile(places), JSON.stringify(made));
    return made;
  });
}

async function make(
  stateDir: string,
  places: TreePlaces,
  { run, project, carry, from }: TreeSource,
): Promise<MadeTrees> {
  const branch = branchOf(run);
  const top = repositoryOf(project);
  const theirs = top === null ? null : await repositoryAt(top);
  const excludes = [
    (theirs === null ? null : await excludesOf(theirs))?.toString() ?? '',
    ...carry.map((path) => `/${path}`),
  ];
  const { repository, parent } = await begin(places, {
    theirs: top === project ? theirs : null,
    excludes: `${excludes.join('\n')}\n`,
    branch,
  });
  const { tree, inside, unnamed, unread, uncommitted } = await projectTree(repository, {
    stateDir,
    project,
    carry,
    parent,
  });
  const isSame = parent !== null && tree === (await askGit(repository, ['rev-parse', `${parent}^{tree}`]));
  const base = isSame ? parent : await baseCommit(repository, tree, parent, run);
  const taken = from === undefined ? base : await takeAll(repository, { stateDir, run, from, base });
  if (parent !== null) await keepFiles(repository, [base, taken]);
  await repository.git(['update-ref', `refs/heads/${branch}`, taken]);
  await carryFromProject(places, project, carry);
  await addTree(repository, MAIN_TREE, taken);
  await carryInto(places, places.tree(MAIN_TREE), carry);
  await setStart(repository, MAIN_TREE, taken);
  return {
    branch,
    base,
    parent,
    ...(from === undefined ? {} : { from }),
    ...(taken === base ? {} : { taken }),
    uncommitted,
    inside,
    ...(unnamed.length === 0 ? {} : { unnamed }),
    ...(unread.length === 0 ? {} : { unread }),
    carry,
  };
}

/**
 * What an earlier run has committed and the project has not got, as one commit on the project's files as they are.
 * Throws `UnfitWork`.
 */
async function takeAll(
  repository: TreeRepository,
  { stateDir, run, from, base }: { stateDir: string; run: string; from: string; base: string },
): Promise<string> {
  const before = await openTrees(stateDir, from);
  if (before === null) throw new TreesMissing(from);
  await takeObjects(repository, before.places);
  const tip = await askGit(before, ['rev-parse', `refs/heads/${before.made.branch}`]);
  const onto = await treeOf(repository, base);
  const merged = await mergeTrees(repository, {
    start: (await appliedUntil(before.places)) ?? before.made.base,
    tree: await treeOf(repository, tip),
    onto,
  });
  if (merged.conflicts.length > 0) throw new UnfitWork(from, merged.conflicts);
  if (merged.tree === onto) return base;
  return askGit(repository, ['commit-tree', merged.tree, '-p', base, '-F', '-'], {
    env: COMMITTER,
    input: `What ${from} has built\n\nPerdure-Run: ${run}\nPerdure-From: ${from}\n`,
  });
}

/** An empty repository on the project's commit, where that can be read, else on none. */
async function begin(
  places: TreePlaces,
  { theirs, excludes, branch }: { theirs: Repository | null; excludes: string; branch: string },
): Promise<{ repository: TreeRepository; parent: string | null }> {
  const head = theirs === null ? '' : await headOf(theirs);
  const objects = theirs === null ? '' : join(theirs.common, 'objects');
  const borrows = theirs !== null && COMMIT.test(head) && isFolder(objects);
  const repository = await makeTreeRepository(places, { objects: borrows ? objects : null, excludes, branch });
  if (!borrows) return { repository, parent: null };
  const shallow = await readPlain(join(theirs.common, 'shallow'), SHALLOW_BYTES);
  const ends =
    shallow
      ?.toString()
      .split('\n')
      .filter((line) => COMMIT.test(line)) ?? [];
  if (ends.length > 0) await writeFile(join(places.git, 'shallow'), `${ends.join('\n')}\n`, { mode: PRIVATE_FILE });
  const isThere = await repository.git(['ls-tree', '-r', '-z', '--name-only', head]).then(
    () => true,
    () => false,
  );
  if (isThere) return { repository, parent: head };
  await rm(join(places.git, 'shallow'), { force: true });
  return { repository: await stopBorrowing(places), parent: null };
}

/** The project's files as a tree. */
async function projectTree(
  repository: TreeRepository,
  { stateDir, project, carry, parent }: { stateDir: string; project: string; carry: string[]; parent: string | null },
): Promise<Pick<MadeTrees, 'inside' | 'uncommitted'> & { tree: string; unnamed: string[]; unread: string[] }> {
  return withIndex(await realpath(repository.places.git), async ({ index }) => {
    if (parent !== null) await repository.git(['read-tree', parent], { index });
    const { without, hidden } = hide(project, [stateDir]);
    // Repositories inside stay what they are: their files are not ours to take.
    const known = parent === null ? [] : await submodulesOf(repository.git, parent);
    const look = {
      git: repository.git,
      repository: { top: project, folder: '', common: '' },
      below: '',
      without: [...without, ...known, ...carry],
      place: { workTree: project, index, hidden },
    };
    const { repositories, unnamed, unread } = await indexFiles(look, { leaveInside: true });
    const tree = await askGit(repository, ['write-tree'], { index });
    const changed =
      parent === null ? '' : (await repository.git(['diff-tree', '-r', '-z', '--name-only', parent, tree])).toString();
    return {
      tree: tree || EMPTY_TREE,
      inside: [...known, ...repositories].sort(),
      unnamed: unnamed.sort(),
      unread: unread.sort(),
      uncommitted: changed.split('\0').length - 1,
    };
  });
}

async function baseCommit(
  repository: TreeRepository,
  tree: string,
  parent: string | null,
  run: string,
): Promise<string> {
  return askGit(repository, ['commit-tree', tree, ...(parent === null ? [] : ['-p', parent]), '-F', '-'], {
    env: COMMITTER,
    input: `Files as they were when the run began\n\nPerdure-Run: ${run}\n`,
  });
}

/** Opens the repository of a run's work trees, once the first of them is made. */
export async function openTrees(stateDir: string, run: string): Promise<(TreeRepository & { made: MadeTrees }) | null> {
  const made = await madeTrees(stateDir, run);
  if (made === null) return null;
  const repository = await openTreeRepository(treePlaces(stateDir, run));
  const commits = [made.base, `refs/heads/${made.branch}`];
  return { ...tellingWhatIsMissing(repository, { run, commits }), made };
}

function madeFile({ folder }: TreePlaces): string {
  return join(folder, 'made.json');
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
