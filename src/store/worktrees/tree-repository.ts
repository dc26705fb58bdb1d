import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync, realpathSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname, join, relative } from 'node:path';
import { removeFolder } from '../folders/remove.js';
import { PRIVATE_FILE } from '../folders/root.js';
import type { Git } from '../git/git.js';
import { gitOf } from '../git/git.js';
import { KEPT_AS_THEY_ARE } from '../git/index-files.js';
import { readPlain } from '../read-plain.js';
import type { TreePlaces } from './places.js';
import { readIfThere } from '../read-regular.js';

/** A call may look at a whole project. */
const TIMEOUT_MS = 10 * 60_000;
/** What a run has committed outlives a power cut. */
const SETTINGS = ['core.fsync=all', 'core.fsyncMethod=batch', 'merge.conflictStyle=merge', 'merge.renames=true'];
const AUTHOR = 'Perdure';
const ADDRESS = 'perdure@localhost';
/** Who commits, as git is told. */
export const COMMITTER = {
  GIT_AUTHOR_NAME: AUTHOR,
  GIT_AUTHOR_EMAIL: ADDRESS,
  GIT_COMMITTER_NAME: AUTHOR,
  GIT_COMMITTER_EMAIL: ADDRESS,
};
const ALTERNATES_BYTES = 64 * 1024;

/** The repository of a run's work trees, and who calls git there. */
export interface TreeRepository {
  places: TreePlaces;
  git: Git;
}

/** Opens the repository of a run's work trees, which must be there. */
export async function openTreeRepository(places: TreePlaces): Promise<TreeRepository> {
  const lines = (await readPlain(alternatesFile(places), ALTERNATES_BYTES))?.toString().trim() ?? '';
  const borrowed = lines === '' ? [] : lines.split('\n').map((line) => join(places.git, 'objects', line));
  // Of a project that was moved away nothing can be borrowed: git says what is missing.
  const reads = borrowed.filter((folder) => existsSync(folder)).map((folder) => realpathSync(folder));
  return { places, git: gitOf(realpathSync(places.git), { reads, settings: SETTINGS, timeoutMs: TIMEOUT_MS }) };
}

/**
 * Makes an empty repository that has no hooks and no configuration but its own, and borrows objects from a folder,
 * where one is named.
 */
export async function makeTreeRepository(
  places: TreePlaces,
  { objects, excludes, branch }: { objects: string | null; excludes: string; branch: string },
): Promise<TreeRepository> {
  for (const name of ['objects/info', 'refs/heads', 'info'])
    await mkdir(join(places.git, name), { recursive: true, mode: 0o700 });
  await gitOf(places.git)(['init', '--quiet', '--bare', '--template=', `--initial-branch=${branch}`]);
  await writeFile(join(places.git, 'info', 'attributes'), KEPT_AS_THEY_ARE);
  await writeFile(join(places.git, 'info', 'exclude'), excludes);
  // From where ours are, so that both may be moved together.
  if (objects !== null) {
    const from = realpathSync(join(places.git, 'objects'));
    await writeFile(alternatesFile(places), `${relative(from, realpathSync(objects))}\n`);
  }
  return openTreeRepository(places);
}

/** Borrows nothing any more. */
export async function stopBorrowing(places: TreePlaces): Promise<TreeRepository> {
  await rm(alternatesFile(places), { force: true });
  return openTreeRepository(places);
}

/** The commit that a tree began at; null where there is no such tree, or it is not made yet. */
export async function startOf({ places }: TreeRepository, name: string): Promise<string | null> {
  const text = (await readIfThere(join(places.admin(name), 'start'))) ?? '';
  return /^[0-9a-f]{40}\n$/.test(text) ? text.trim() : null;
}

/**
 * Says which commit a tree is at, once it is there. `HEAD` says the same to people's git, which may move it: what is
 * brought to the branch is what has changed since the commit that we know of.
 */
export async function setStart({ places }: TreeRepository, name: string, commit: string): Promise<void> {
  for (const which of ['HEAD', 'start']) {
    const file = join(places.admin(name), which);
    const made = `${file}.${randomBytes(6).toString('hex')}`;
    await writeFile(made, `${commit}\n`, { mode: PRIVATE_FILE, flush: true });
    await rename(made, file);
  }
}

/**
 * Makes a tree with the files of a commit. One that was left half made is made anew: it is made once `setStart` says at
 * which commit it is, after all that goes along.
 */
export async function addTree(repository: TreeRepository, name: string, commit: string): Promise<void> {
  const { places, git } = repository;
  await removeTree(repository, name);
  const [tree, admin] = [places.tree(name), places.admin(name)];
  await mkdir(tree, { recursive: true, mode: 0o700 });
  await mkdir(admin, { recursive: true, mode: 0o700 });
  // As `git worktree add` does, so that people may look at it with their git.
  await writeFile(join(tree, '.git'), `gitdir: ${relative(tree, admin)}\n`);
  await writeFile(join(admin, 'commondir'), '../..\n');
  await writeFile(join(admin, 'gitdir'), `${join(tree, '.git')}\n`);
  const place = { workTree: realpathSync(tree), writes: true, index: join(realpathSync(admin), 'index') };
  await git(['read-tree', commit], { index: place.index });
  await git(['checkout-index', '--all', '--force', '--index', '--quiet'], place);
}

/** Removes a tree with all that is in it. */
export async function removeTree({ places }: TreeRepository, name: string): Promise<void> {
  // First what says that it is there.
  await rm(places.admin(name), { recursive: true, force: true });
  await removeFolder(places.tree(name));
  await mkdir(dirname(places.tree(name)), { recursive: true, mode: 0o700 });
}

/** What git answers, as a line. */
export async function askGit({ git }: TreeRepository, ...call: Parameters<Git>): Promise<string> {
  return (await git(...call)).toString().trim();
}

function alternatesFile({ git }: TreePlaces): string {
  return join(git, 'objects', 'info', 'alternates');
}
