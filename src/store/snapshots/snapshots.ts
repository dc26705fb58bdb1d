import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { copyFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileName } from '../files.js';
import type { Git } from '../git/git.js';
import { gitOf, saysFull } from '../git/git.js';
import type { LeftOut } from '../git/index-files.js';
import { EMPTY_TREE, KEPT_AS_THEY_ARE, indexFiles, withIndex } from '../git/index-files.js';
import { excludesOf, repositoryAt, repositoryOf } from '../git/repository.js';
import { hide } from '../git/work-tree.js';
import { makeFolders, PRIVATE_FILE } from '../folders/root.js';
import type { StoreFailure } from '../store-failure.js';
import { storeFailure } from '../store-failure.js';
import { readIfThere } from '../read-regular.js';

/** Files that a snapshot has nothing of: they stay as the one before had them. */
export interface MissingFiles extends Pick<LeftOut, 'unnamed' | 'unread'> {
  /** Repositories inside, of which it has the commit alone; absent where there are none. */
  inside?: string[];
  /** `.gitignore` files that are ignored themselves, as what they name is; absent where there are none. */
  hiding?: string[];
}

/** The files of a workspace at one moment. */
export interface Snapshot extends MissingFiles {
  /** Git's name of the tree. */
  tree: string;
}

/** When a snapshot of a run is taken. */
export type Moment = 'start' | 'end';

/**
 * The files of a workspace as runs find and leave them: trees in a git repository of the store's own. The project's
 * repository is only asked what it ignores.
 */
export interface Snapshots {
  /**
   * Keeps the files of a workspace as a run finds or leaves it; what was kept first stands. False where nothing can be
   * kept: outside git, without git, or when it takes longer than ten seconds. Throws `StoreFailure` where the disk is
   * full.
   */
  keepSnapshot(run: string, moment: Moment, workspace: string): Promise<boolean>;
  /** Git's name of the tree that was kept; null where none was. */
  snapshotOf(run: string, moment: Moment): Promise<string | null>;
  /** Where the snapshots of a run are, when that is another machine of this store; else null. */
  snapshotElsewhere(run: string): Promise<{ host: string; folder: string } | null>;
  /** What the snapshot of a run has nothing of; empty where none was kept. */
  leftOutOf(run: string, moment: Moment): Promise<MissingFiles>;
  /** Takes a snapshot of the files as they are now; null where nothing can be kept. */
  snapshotNow(workspace: string): Promise<Snapshot | null>;
  /** For who reads trees. */
  snapshotGit: Git;
}

/** A name that stands must be made: git's way to say that a ref must not be there yet. */
const NOT_THERE = '0'.repeat(40);
/** What follows a moment in the name of what its snapshot has nothing of. */
const LEFT_OUT = '-left-out';

/** The folder that holds the snapshots of a state folder. */
export const snapshotFolder = (stateDir: string): string => join(stateDir, 'snapshots');
/** The folder in it that holds the names of one run's. */
export const snapshotsOfRun = (folder: string, run: string): string => join(folder, 'refs', 'runs', fileName(run));

/** Snapshots in a folder, which is made when the first is taken. */
export function createSnapshots(folder: string): Snapshots {
  const git = gitOf(folder);
  const take = async (workspace: string): Promise<Snapshot | null> => {
    if (repositoryOf(workspace) === null) return null;
    try {
      await prepare(folder);
      // As they are without links: in a sandbox those lead nowhere.
      const [real, stateDir] = [realpathSync(workspace), realpathSync(dirname(folder))];
      return await treeOf({
        top: repositoryOf(real) ?? real,
        workspace: real,
        folder: realpathSync(folder),
        git,
        stateDir,
      });
    } catch (error) {
      const failure = refusalOf(error, folder);
      if (failure.type === 'store-full') throw failure;
      return null;
    }
  };
  return {
    snapshotGit: git,
    snapshotNow: take,
    snapshotElsewhere: async () => null,
    async keepSnapshot(run, moment, workspace) {
      if ((await readRef(folder, run, moment)) !== null) return true;
      const taken = await take(workspace);
      if (taken === null) return false;
      const { tree, ...missing } = taken;
      const name = async (ref: string, object: string): Promise<void> => {
        // Fails where somebody was faster, whose snapshot stands.
        await git(['update-ref', `refs/runs/${fileName(run)}/${ref}`, object, NOT_THERE]).catch((error: unknown) => {
          if (saysFull(error)) throw refusalOf(error, folder);
        });
      };
      // First: of a snapshot that stands it is known what it has nothing of.
      if (Object.values(missing).some((paths) => paths.length > 0))
        await name(`${moment}${LEFT_OUT}`, await writeBlob(git, JSON.stringify(missing)));
      await name(moment, tree);
      return (await readRef(folder, run, moment)) !== null;
    },
    snapshotOf: (run, moment) => readRef(folder, run, moment),
    async leftOutOf(run, moment) {
      const blob = await readRef(folder, run, `${moment}${LEFT_OUT}`);
      if (blob === null) return { unnamed: [], unread: [] };
      return JSON.parse(String(await git(['cat-file', 'blob', blob]))) as MissingFiles; // by `keepSnapshot`
    },
  };
}

/** What went wrong, as a write of the store; git tells of a full disk in words. */
function refusalOf(error: unknown, folder: string): StoreFailure {
  return storeFailure(
    saysFull(error) ? Object.assign(new Error(String(error)), { code: 'ENOSPC' }) : error,
    'write',
    folder,
  );
}

/** Nothing here packs refs, so each is a file; to read it takes no process. */
async function readRef(folder: string, run: string, moment: string): Promise<string | null> {
  const path = join(snapshotsOfRun(folder, run), moment);
  // Every run asks when it closes, and most have none.
  if (!existsSync(path)) return null;
  const text = (await readIfThere(path)) ?? '';
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
    makeFolders(join(made, 'info'));
    await writeFile(join(made, 'info', 'attributes'), KEPT_AS_THEY_ARE);
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
  /** The folder of our repository. */
  folder: string;
  git: Git;
  /** The state folder, which is no part of a workspace. */
  stateDir: string;
}

/** Keeps a text as an object of git, whose name it gives. */
async function writeBlob(git: Git, input: string): Promise<string> {
  return (await git(['hash-object', '-w', '--stdin'], { input })).toString().trim();
}

/** Writes the tree of a workspace. Starts from the last index, so that only what has changed since is read. */
async function treeOf({ top, workspace, folder, git, stateDir }: Taking): Promise<Snapshot> {
  const shared = join(folder, 'index');
  return withIndex(folder, async ({ index, ignored }) => {
    await copyIndex(shared, index); // the first one starts from none
    const repository = await repositoryAt(top);
    await writeFile(ignored, (await excludesOf(repository)) ?? '', { mode: PRIVATE_FILE });
    const { without, hidden } = hide(top, [stateDir]);
    const below = relative(top, workspace);
    const { unnamed, unread, repositories, hiding } = await indexFiles({
      ...{ git, repository, below, without },
      place: { workTree: top, index, ignored, hidden },
    });
    const tree = await writeTree(git, below, index);
    await rename(index, shared);
    const inside = repositories.length === 0 ? {} : { inside: repositories.sort() };
    const unseen = hiding.length === 0 ? {} : { hiding: hiding.sort() };
    return { tree, unnamed: unnamed.sort(), unread: unread.sort(), ...inside, ...unseen };
  });
}

/** Writes what an index has below a folder; of one that it has nothing of, git makes no tree. */
async function writeTree(git: Git, below: string, index: string): Promise<string> {
  const prefix = below === '' ? [] : [`--prefix=${below}/`];
  try {
    return (await git(['write-tree', ...prefix], { index })).toString().trim();
  } catch (error) {
    const there = await git(['--literal-pathspecs', 'ls-files', '-z', '--', below], { index });
    if (below !== '' && there.length === 0) return EMPTY_TREE;
    throw error;
  }
}

/** A copy that is as old: git looks again at files that were changed in the moment when an index was written. */
async function copyIndex(from: string, to: string): Promise<void> {
  const found = await stat(from).catch(() => null);
  if (found === null) return;
  await copyFile(from, to);
  await utimes(to, found.mtime, found.mtime).catch(() => undefined);
}
