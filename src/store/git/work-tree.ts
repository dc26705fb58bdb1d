import { isUtf8 } from 'node:buffer';
import { isAbsolute, join, relative } from 'node:path';
import type { Git, GitPlace } from './git.js';
import { GitError } from './git.js';
import type { Repository } from './repository.js';

/** One look of git at a folder, against an index. */
export interface Look {
  git: Git;
  repository: Repository;
  /** Of the work tree, the folder that counts: its path from the top; empty for all of it. */
  below: string;
  /** Paths from the top that do not count, with all below them. */
  without: string[];
  place: GitPlace;
}

/** What stands in an index, and what is not as it says. Paths are from the top. */
export interface Seen {
  /** `mode hash stage TAB path`. */
  indexed: string[];
  /** Files that are not in the index, or are not as it has them, or are gone. */
  changed: string[];
  /** Repositories inside, which git does not look into. */
  repositories: string[];
  /** Likewise files whose names are no UTF-8, as far as they can be shown: by these none is found. */
  unnamed: string[];
  /** Folders that git could not look into, with a `/` at the end. */
  unread: string[];
  /** `.gitignore` files that are ignored themselves: nobody sees what they hide, nor that they do. */
  hiding: string[];
}

/** What git says of a folder that it passes over, for its rights or its path, which is cut where it is too long. */
const UNREAD = /could not open directory '([^']*)/;
const REPOSITORY_MODE = '160000';
const RULES = /(?:^|\/)\.gitignore$/;
/** What git ends with where it was asked which of some paths are ignored, and none is. */
const NONE_IGNORED = 1;

/**
 * Has git compare files with an index, and nothing else: none is changed, and no repository inside is asked anything.
 */
export async function lookAt({ git, repository: { top }, below, without, place }: Look): Promise<Seen> {
  const paths = [below === '' ? '.' : `:(literal)${below}`, ...without.map((path) => `:(exclude,literal)${path}`)];
  const unread: string[] = [];
  const onWarning = (line: string): void => {
    const folder = UNREAD.exec(line)?.[1];
    if (folder !== undefined) unread.push(folder.endsWith('/') ? folder : `${folder}/`);
  };
  const told = await git(
    [
      'ls-files',
      '-z',
      '-t',
      '--stage',
      '--cached',
      '--modified',
      '--deleted',
      '--others',
      '--exclude-standard',
      '--exclude=!.gitignore',
      '--',
      ...paths,
    ],
    { ...place, workTree: top, onWarning },
  );
  const odd = oddEntries(told);
  const indexed: string[] = [];
  const changed = new Set<string>();
  const repositories = new Set<string>();
  const unnamed = new Set<string>();
  for (const entry of told.toString().split('\0')) {
    const tag = entry.charAt(0);
    const rest = entry.slice(2);
    const path = tag === '?' ? rest : rest.slice(rest.indexOf('\t') + 1);
    if (tag === 'H' || tag === 'M' || tag === 'S') indexed.push(rest);
    if (tag === '?' && path.endsWith('/')) repositories.add(path.slice(0, -1));
    else if (tag !== '?' && rest.startsWith(REPOSITORY_MODE)) repositories.add(path);
    else if (tag === '?' || tag === 'C' || tag === 'R') (odd.has(entry) ? unnamed : changed).add(path);
  }
  const hiding = await ignoredOf(
    [...changed].filter((path) => RULES.test(path)),
    git,
    { ...place, workTree: top },
  );
  const seen = [...changed].filter((path) => !hiding.includes(path));
  return { indexed, changed: seen, repositories: [...repositories], unnamed: [...unnamed], unread, hiding };
}

/** Of these paths those that git ignores: none that its index has. */
async function ignoredOf(paths: string[], git: Git, place: GitPlace): Promise<string[]> {
  if (paths.length === 0) return [];
  try {
    const told = await git(['check-ignore', '-z', '--stdin'], {
      ...place,
      input: paths.map((path) => `${path}\0`).join(''),
    });
    return told.toString().split('\0').slice(0, -1);
  } catch (error) {
    if (error instanceof GitError && error.exitCode === NONE_IGNORED) return [];
    throw error;
  }
}

/** Entries that are no UTF-8, as they are decoded. */
function oddEntries(told: Buffer): Set<string> {
  const odd = new Set<string>();
  if (isUtf8(told)) return odd;
  for (let start = 0, end = 0; start < told.length; start = end + 1) {
    end = told.indexOf(0, start);
    if (end < 0) end = told.length;
    const entry = told.subarray(start, end);
    if (!isUtf8(entry)) odd.add(entry.toString());
  }
  return odd;
}

/** The folders of these that are below a top, from there. */
export function foldersBelow(top: string, folders: string[]): string[] {
  return folders
    .map((folder) => relative(top, folder))
    .filter((path) => path !== '' && path !== '..' && !path.startsWith('../') && !isAbsolute(path));
}

/** Adds what does not count to how git is called: in a sandbox it is not even there. */
export function hide(top: string, folders: string[]): Pick<Look, 'without'> & { hidden: string[] } {
  const without = foldersBelow(top, folders);
  return { without, hidden: without.map((path) => join(top, path)) };
}
