import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Permissions } from '../../../plan/tools/permission.js';
import type { Sight } from '../../workspace/alike.js';
import { KEPT_IN_PROJECTS } from '../../workspace/projects-in.js';
import { inFolderOf } from '../../workspace/open.js';
import { FileRefusal } from '../../refusal.js';
import { covered } from '../../../store/processes/bare-sandbox.js';
import { placesOf } from '../../../store/folders/state-folders.js';

/**
 * Of a repository, what makes git run programs, also in the repositories of its submodules and in its work trees, which
 * are elsewhere, and what has it show nothing of files. The rest may change: agents commit.
 */
const GIT_FIXED = [
  ...['config', 'config.worktree', 'hooks', 'commondir', 'info/attributes', 'info/exclude'],
  ...['modules', 'worktrees', 'rebase-merge', 'sequencer'],
];

/** What of a workspace a command sees. */
export interface Shown {
  /** Its real path. */
  workspace: string;
  /** Places in it that are read and not written, by `keptPlaces`. */
  kept: string[];
  /** The only paths in it that are written; absent for all. */
  writable?: string[] | undefined;
  /** State folders, wherever they are. */
  states: string[];
  /** Sockets in it, by which others are reached. */
  sockets: string[];
}

/** How a workspace is mounted. */
export type Mounts = Pick<Sight, 'mounts' | 'basis' | 'isSteady'>;

/**
 * Makes the folders that limits of an agent name by a `/` at their end: only what is there can be mounted, and so be
 * kept from a command, or be left to it. Where something else stands, nothing is made.
 */
export async function makeFolders(
  workspace: string,
  { protected: kept, writable = [] }: Pick<Permissions, 'protected' | 'writable'>,
): Promise<void> {
  const named = [...kept.filter((path) => path.startsWith('/')), ...writable].filter((path) => path.endsWith('/'));
  for (const path of named)
    await inFolderOf(workspace, join(path, 'entry'), { make: true }, () => Promise.resolve()).catch(
      (error: unknown) => {
        if (!(error instanceof FileRefusal)) throw error;
      },
    );
}

/**
 * Paths of a workspace that a command in the sandbox must not change, by what the permissions protect at its root and
 * at those of the projects in it, and by where the repositories there are kept.
 */
export function fixedPaths(protectedPaths: string[], projects: string[], repositories: string[]): string[] {
  const atRoot = protectedPaths.map((path) => path.replace(/^\//, '')).filter((path) => path !== '.git');
  return [
    ...['', ...projects].flatMap((project) =>
      [...atRoot, ...(project === '' ? [] : KEPT_IN_PROJECTS)].map((path) => join(project, path)),
    ),
    ...repositories.flatMap((repository) => GIT_FIXED.map((name) => join(repository, name))),
  ];
}

/**
 * Arguments of `bwrap` that show a workspace. Only what is itself a file or a folder is mounted: a link would show what
 * it leads to, and that may be anywhere. What is a mount of its own can be neither renamed nor replaced, so each folder
 * that holds something that is kept is one, too: with it that would go elsewhere.
 */
export function workspaceMounts({ workspace, kept: places, writable, states, sockets }: Shown): Mounts {
  const git = join(workspace, '.git');
  const kind = kindOf(git);
  const written = (writable ?? ['.']).map((entry) => join(workspace, entry).replace(/\/+$/, ''));
  const bind = written.includes(workspace) ? '--bind' : '--ro-bind';
  const kept = places.map((place) => join(workspace, place)).filter(isReal);
  const held = new Set(holdersOf([...kept, ...statePlaces(states, [workspace])], workspace));
  const isWritten = (path: string): boolean => path !== git && written.some((place) => path.startsWith(`${place}/`));
  // What holds no more than a socket may go with it.
  const going = holdersOf(sockets, workspace).filter((path) => isWritten(path) && !held.has(path));
  const first = [
    { bind, path: workspace },
    ...written
      .filter((path) => path.startsWith(`${workspace}/`) && isReal(path))
      .map((path) => ({ bind: '--bind', path })),
    // A file of that name says where the repository is.
    ...(kind === 'none' ? [] : [{ bind: kind === 'folder' ? bind : '--ro-bind', path: git }]),
    ...[...held].filter(isWritten).map((path) => ({ bind: '--bind', path })),
  ];
  const last = kept.map((path) => ({ bind: '--ro-bind-try', path }));
  const words = (binds: typeof first): string[] => binds.flatMap(({ bind, path }) => [bind, path, path]);
  const forSockets = words(going.map((path) => ({ bind: '--bind-try', path })));
  return {
    mounts: [...words(first), ...forSockets, ...words(last), ...covered(sockets)],
    basis: [...first, ...last].flatMap(({ bind, path }) => [bind, path, identityOf(path)]),
    isSteady: going.length === 0,
  };
}

/** Another one for what is made anew, also where the system gives that the number of what was removed. */
function identityOf(path: string): string {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.dev}:${found.ino}:${found.birthtimeNs}`;
}

/** The folders between a workspace and what is in it, the outer ones first. */
function holdersOf(paths: string[], workspace: string): string[] {
  const holders = new Set<string>();
  for (const path of paths)
    for (let at = dirname(path); at.startsWith(`${workspace}/`); at = dirname(at)) holders.add(at);
  return [...holders].sort();
}

/** Arguments that show state folders as empty ones, by every path below the folders that are shown. */
export function emptied(states: string[], shown: string[]): string[] {
  return statePlaces(states, shown).flatMap((place) => ['--tmpfs', place]);
}

/** Where state folders are to be seen below the folders that are shown, by every path. */
export function statePlaces(states: string[], shown: string[]): string[] {
  const places = new Set(states.flatMap((state) => shown.flatMap((folder) => placesOf(state, folder))));
  return [...places].filter((place) => kindOf(place) === 'folder');
}

/** Tells whether something is there that is reached without links. */
function isReal(path: string): boolean {
  try {
    return realpathSync(path) === path;
  } catch {
    return false;
  }
}

function kindOf(path: string): 'file' | 'folder' | 'none' {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true ? 'folder' : found?.isFile() === true ? 'file' : 'none';
}
