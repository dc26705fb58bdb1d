import { randomBytes } from 'node:crypto';
import { accessSync, constants, lstatSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../store-failure.js';
import type { Git, GitPlace } from './git.js';
import { saysFull } from './git.js';
import { headOf, repositoryAt } from './repository.js';
import type { Look } from './work-tree.js';
import { lookAt } from './work-tree.js';

/** Git's name of the tree without files. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
/** Attributes of a repository of ours: what a project's `.gitattributes` make of files is not done. */
export const KEPT_AS_THEY_ARE = '* -text -filter -ident -working-tree-encoding\n';
/** Files that git says it cannot read, beside those that we see to be so. */
const MOST_UNREADABLE = 20;
const HASH = /^[0-9a-f]{40}$/;

/** What an index has nothing of, or not all. */
export interface LeftOut {
  /** Paths of repositories inside. */
  repositories: string[];
  /** Files whose names are no UTF-8, as far as they can be shown. */
  unnamed: string[];
  /** Files that may not be read, and folders, with a `/` at the end. */
  unread: string[];
  /** `.gitignore` files that are ignored themselves. */
  hiding: string[];
}

/**
 * Brings an index to what the files are. Of a repository inside it has the commit, which we read ourselves; with
 * `leaveInside` it is left as the index has it. Gives what is left out.
 */
export async function indexFiles(look: Look, { leaveInside = false } = {}): Promise<LeftOut> {
  const {
    git,
    repository: { top },
    place,
  } = look;
  const { changed, repositories, unnamed, indexed, unread, hiding } = await lookAt(look);
  const closed = new Set(changed.filter((path) => !isReadable(join(top, path))));
  const leftOut = { repositories, unnamed, unread: [...unread, ...closed], hiding };
  await addAll(
    changed.filter((path) => !closed.has(path)),
    git,
    place,
  );
  if (leaveInside) return leftOut;
  const known = new Set(indexed);
  const entries = await Promise.all(
    repositories.map(async (path) => {
      const head = await headOf(await repositoryAt(join(top, path)));
      const isCommit = HASH.test(head);
      if (isCommit && known.has(`160000 ${head} 0\t${path}`)) return '';
      return isCommit ? `160000 ${head} 0\t${path}\0` : `0 ${'0'.repeat(40)} 0\t${path}\0`;
    }),
  );
  const input = entries.join('');
  if (input !== '')
    await git(['update-index', '-z', '--add', '--replace', '--index-info'], { index: place.index ?? '', input });
  return leftOut;
}

/** Adds files, without those that git cannot read after all: it names the first, and does nothing then. */
async function addAll(paths: string[], git: Git, place: GitPlace): Promise<void> {
  const left = new Set(paths);
  for (let tries = 0; left.size > 0; tries += 1) {
    try {
      await git(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
        ...place,
        input: [...left].map((path) => `${path}\0`).join(''),
      });
      return;
    } catch (error) {
      const path = /Unable to process path ([^]+)$/.exec(error instanceof Error ? error.message : '')?.[1];
      if (saysFull(error) || path === undefined || !left.delete(path) || tries === MOST_UNREADABLE) throw error;
    }
  }
}

/** Tells whether what a path names may be read, or is not there any more. */
function isReadable(path: string): boolean {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isFile() === true) accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    // Where a folder of it has become a file, or a link, it is not there.
    return !['EACCES', 'EPERM'].includes(errorCode(error) ?? '');
  }
}

/** Gives the paths of files of its own in our repository, where nothing of them is left afterwards. */
export async function withIndex<T>(
  folder: string,
  use: (files: { index: string; ignored: string }) => Promise<T>,
): Promise<T> {
  const mark = randomBytes(6).toString('hex');
  const [index, ignored] = [join(folder, `index.${mark}`), join(folder, `ignored.${mark}`)];
  try {
    return await use({ index, ignored });
  } finally {
    await Promise.all([index, `${index}.lock`, ignored].map((file) => rm(file, { force: true })));
  }
}
