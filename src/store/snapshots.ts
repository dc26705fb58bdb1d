import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileName, PRIVATE_FOLDER } from './files.js';
import { repositoryOf } from './repository.js';
import type { Git } from './snapshot-git.js';
import { gitOf, withIndex } from './snapshot-git.js';

/** When a snapshot of a run is taken. */
export type Moment = 'start' | 'end';

/**
 * The files of a workspace as runs find and leave them: trees in a git repository of the store's own. The project's
 * repository is only asked what it ignores.
 */
export interface Snapshots {
  /**
   * Keeps the files of a workspace as a run finds or leaves it; what was kept first stands. False where nothing can be
   * kept: outside git, without git, or when it takes longer than ten seconds.
   */
  keepSnapshot(run: string, moment: Moment, workspace: string): Promise<boolean>;
  /** Git's name of the tree that was kept; null where none was. */
  snapshotOf(run: string, moment: Moment): Promise<string | null>;
  /** The same of the files as they are now; null where nothing can be kept. */
  snapshotNow(workspace: string): Promise<string | null>;
  /** For who reads trees. */
  snapshotGit: Git;
}

/** A name that stands must be made: git's way to say that a ref must not be there yet. */
const NOT_THERE = '0'.repeat(40);
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** The folder that holds the snapshots of a state folder. */
export const snapshotFolder = (stateDir: string): string => join(stateDir, 'snapshots');
/** The folder in it that holds the names of one run's. */
export const snapshotsOfRun = (folder: string, run: string): string => join(folder, 'refs', 'runs', fileName(run));

/** Snapshots in a folder, which is made when the first is taken. */
export function createSnapshots(folder: string): Snapshots {
  const git = gitOf(folder);
  const take = async (workspace: string): Promise<string | null> => {
    const top = repositoryOf(workspace);
    if (top === null) return null;
    try {
      await prepare(folder);
      return await withIndex(folder, (index) => treeOf({ top, workspace, index, folder, git }));
    } catch {
      return null;
    }
  };
  return {
    snapshotGit: git,
    snapshotNow: take,
    async keepSnapshot(run, moment, workspace) {
      if ((await readRef(folder, run, moment)) !== null) return true;
      const tree = await take(workspace);
      if (tree === null) return false;
      // Fails where somebody was faster, whose tree stands.
      await git(['update-ref', `refs/runs/${fileName(run)}/${moment}`, tree, NOT_THERE]).catch(() => undefined);
      return (await readRef(folder, run, moment)) !== null;
    },
    snapshotOf: (run, moment) => readRef(folder, run, moment),
  };
}

/** Nothing here packs refs, so each is a file; to read it takes no process. */
async function readRef(folder: string, run: string, moment: Moment): Promise<string | null> {
  const path = join(snapshotsOfRun(folder, run), moment);
  // Every run asks when it closes, and most have none.
  if (!existsSync(path)) return null;
  const text = await readFile(path, 'utf8').catch(() => '');
  return /^[0-9a-f]{40}\n$/.test(text) ? text.trim() : null;
}

/**
 * Makes our repository, without hooks; of several who do it at once one wins. What a project's `.gitattributes` make of
 * files is not done to ours.
 */
async function prepare(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  const made = `${folder}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(join(made, 'info'), { recursive: true, mode: PRIVATE_FOLDER });
    await writeFile(join(made, 'info', 'attributes'), '* -text -filter -ident -working-tree-encoding\n');
    await gitOf(made)(['init', '--quiet', '--bare', '--template=']);
    await rename(made, folder);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

interface Taking {
  top: string;
  workspace: string;
  index: string;
  folder: string;
  git: Git;
}

/** Writes the tree of a workspace. Starts from the last index, so that only what has changed since is read. */
async function treeOf({ top, workspace, index, folder, git }: Taking): Promise<string> {
  const shared = join(folder, 'index');
  await copyFile(shared, index).catch(() => undefined); // the first one starts from none
  const place = { workTree: top, index, cwd: top, ignored: join(top, '.git', 'info', 'exclude') };
  const below = relative(top, workspace);
  // A file that cannot be read is left out; state is ignored by the `.gitignore` in its own folder.
  await git(['add', '--all', '--ignore-errors', '--', below === '' ? '.' : below], { ...place, passing: 1 });
  const tree = (await git(['write-tree', ...(below === '' ? [] : [`--prefix=${below}/`])], place)).toString().trim();
  await rename(index, shared);
  return tree === '' ? EMPTY_TREE : tree;
}
