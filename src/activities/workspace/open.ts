import type { FileHandle } from 'node:fs/promises';
import { lstat, mkdir, open, readdir, realpath, rename, rmdir, unlink } from 'node:fs/promises';
import { constants } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join, relative } from 'node:path';
import { errorCode } from '../../store/store-failure.js';
import { isBelow, realOf } from '../../store/folders/places.js';
import { readPlainNow } from '../../store/read-plain.js';
import { isTemporaryPlace } from '../../store/folders/temporary.js';
import { STORE_FILE, isStateFolder, readsAsStore, stateAround } from '../../store/folders/state-folders.js';
import { FileRefusal, LinkRefusal, refusalOf } from '../refusal.js';
import { isRepositoryFolder, isRepositoryPart, namesRepositoryPart } from './inner-repositories.js';
import { perdureAt, perdureBy } from './perdure-names.js';
import { FilledAgain, removeAt } from '../../store/folders/remove.js';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** A longer file is no part of a repository that anybody misses. */
const PART_BYTES = 10 * 1024 * 1024;

/** An open folder below which names are looked up one by one, each without following a link. */
export interface Folder {
  handle: FileHandle;
  /** As people see it: from the workspace's root; empty for the root itself. */
  shown: string;
  /** The path of an entry, through the folder that is open: renaming or replacing what is above changes nothing. */
  at(name: string): string;
}

/**
 * Runs something with a folder open as the root of all paths below it, and closes it. Links on the way to it are
 * followed. Throws a refusal for one that is, or lies in, a state folder.
 */
export async function withRoot<T>(workspace: string, act: (root: Folder) => Promise<T>): Promise<T> {
  const real = await realpath(workspace);
  const state = stateAround(real);
  if (state !== null) throw new FileRefusal(`\`${real}\` is the state of Perdure itself, or lies in it.`);
  return withFolder(real, act);
}

/** The same, also where what somebody made in it has the folder look like one of state. */
export async function withFolder<T>(real: string, act: (root: Folder) => Promise<T>): Promise<T> {
  const handle = await open(real, O_RDONLY | O_DIRECTORY);
  try {
    return await act({ handle, shown: '', at: locate(handle, real) });
  } finally {
    await handle.close();
  }
}

/**
 * What `openat` does, for Node has none: Linux shows an open folder under `/proc/self/fd`. Elsewhere the path is walked
 * again, which another process could change in between.
 */
function locate(handle: FileHandle, path: string): Folder['at'] {
  const base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
  return (name) => join(base, name);
}

/**
 * Opens the folder that holds an entry, component by component, and does something there; `make` makes folders that are
 * missing. Paths are from the workspace's root; the policy has refused those that leave it.
 */
export async function inFolderOf<T>(
  workspace: string,
  path: string,
  options: { make?: boolean },
  act: (folder: Folder, name: string) => Promise<T>,
): Promise<T> {
  return withRoot(workspace, (root) => inFolderBelow(root, path, options, act));
}

/** Opens the folder of a path below an open folder, hands it on, and closes it; no link is followed. */
export async function inFolderBelow<T>(
  root: Folder,
  path: string,
  { make }: { make?: boolean },
  act: (folder: Folder, name: string) => Promise<T>,
): Promise<T> {
  const parts = partsOf(path);
  const name = parts.pop();
  return descend(root, parts, make === true, (folder) => {
    if (name === undefined) throw new FileRefusal('Expected the path of a file, got the workspace itself.');
    return act(folder, name);
  });
}

/** Opens a folder of the workspace. */
export function inFolder<T>(workspace: string, path: string, act: (folder: Folder) => Promise<T>): Promise<T> {
  return withRoot(workspace, (root) => descend(root, partsOf(path), false, act));
}

async function descend<T>(
  folder: Folder,
  parts: string[],
  make: boolean,
  act: (folder: Folder) => Promise<T>,
): Promise<T> {
  const [name, ...rest] = parts;
  if (name === undefined) return act(folder);
  return openEntry(folder, name, make, (inner) => descend(inner, rest, make, act));
}

/** Opens a folder in an open folder, and does something there; `make` makes it when it is missing. */
export async function openEntry<T>(
  folder: Folder,
  name: string,
  make: boolean,
  act: (folder: Folder) => Promise<T>,
): Promise<T> {
  return enterEntry(folder, name, make, (inner) => {
    // Asked of the folder that is open: no other name of it makes it another.
    if (isStateFolder(inner.at('.'))) throw new FileRefusal(`\`${inner.shown}\` is the state of Perdure itself.`);
    if (isTemporaryPlace(inner.at('.')))
      throw new FileRefusal(`\`${inner.shown}\` holds temporary files of Perdure: TMPDIR leads there.`);
    return act(inner);
  });
}

/** The same, also where what somebody made in it has the folder look like one of state. */
export async function enterEntry<T>(
  folder: Folder,
  name: string,
  make: boolean,
  act: (folder: Folder) => Promise<T>,
): Promise<T> {
  const shown = join(folder.shown, name);
  const path = folder.at(name);
  if (make) await makeEntry(folder, name);
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(async (error: unknown) => {
    throw (await linkRefusal(path, shown)) ?? refusalOf(error, shown);
  });
  try {
    return await act({ handle, shown, at: locate(handle, path) });
  } finally {
    await handle.close();
  }
}

/** Makes a folder where nothing stands. Throws a refusal for one by which git would take this for a repository. */
async function makeEntry(folder: Folder, name: string): Promise<void> {
  const shown = join(folder.shown, name);
  try {
    await mkdir(folder.at(name));
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    throw refusalOf(error, shown);
  }
  if (!isRepositoryFolder(name, realOf(folder.at('.')))) return;
  // Where somebody has put something into it, that is another one who was let.
  await rmdir(folder.at(name)).catch(() => undefined);
  throw repositoryRefusal(shown);
}

/** Opens a regular file for reading: no link, no pipe, no device, and none that has a second name elsewhere. */
export async function openFile(
  folder: Folder,
  name: string,
  { mayBeLinked = false } = {},
): Promise<{ handle: FileHandle; size: number; mode: number }> {
  const shown = join(folder.shown, name);
  const path = folder.at(name);
  const found = await lstat(path).catch((error: unknown) => {
    throw refusalOf(error, shown);
  });
  if (found.isSymbolicLink()) throw isLink(shown);
  if (!found.isFile())
    throw new FileRefusal(
      `Expected \`${shown}\` to be a file, got ${found.isDirectory() ? 'a folder' : 'a pipe, a socket or a device'}.`,
    );
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    throw refusalOf(error, shown);
  });
  try {
    const { size, mode, nlink, ...stat } = await statOf(handle);
    if (!stat.isFile) throw new FileRefusal(`\`${shown}\` is no regular file.`);
    if (nlink > 1 && !mayBeLinked)
      throw new FileRefusal(`\`${shown}\` has other names (hard links), which may be outside of the workspace.`);
    return { handle, size, mode };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function statOf(handle: FileHandle): Promise<{ size: number; mode: number; nlink: number; isFile: boolean }> {
  const stat = await handle.stat();
  return { size: stat.size, mode: stat.mode, nlink: stat.nlink, isFile: stat.isFile() };
}

/**
 * Puts a file in its place whole: written beside it, synced and renamed, so a link or a second name that stands there
 * is replaced, and never written through. The mode of a file that was there is kept.
 */
export async function putFile(folder: Folder, name: string, content: string | Buffer): Promise<{ existed: boolean }> {
  const shown = join(folder.shown, name);
  const before = await lstat(folder.at(name)).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw refusalOf(error, shown);
  });
  if (before?.isSymbolicLink() === true) throw isLink(shown);
  if (before !== null && !before.isFile())
    throw new FileRefusal(
      `Expected \`${shown}\` to be a file, got ${before.isDirectory() ? 'a folder' : 'a pipe, a socket or a device'}.`,
    );
  const temporary = folder.at(`.${randomBytes(8).toString('hex')}.tmp`);
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, (before?.mode ?? 0o666) & 0o777).catch(
    (error: unknown) => {
      throw refusalOf(error, shown);
    },
  );
  try {
    try {
      await handle.writeFile(content);
      if (before !== null) await handle.chmod(before.mode & 0o777);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, folder.at(name));
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw refusalOf(error, shown);
  }
  return { existed: before !== null };
}

/**
 * The same for an agent, which does not write what would have something else start as `perdure`, nor what would hide a
 * folder as one of state.
 */
export async function replaceFile(
  folder: Folder,
  name: string,
  content: string | Buffer,
): Promise<{ existed: boolean }> {
  if (name.toLowerCase() === STORE_FILE && readsAsStore(content.toString()))
    throw new FileRefusal(
      `\`${join(folder.shown, name)}\` would have its folder taken for the state of Perdure, which is hidden from ` +
        'agents: give the file another name, or leave out its `id`.',
    );
  requireUntaken(folder, name, content);
  const put = namesRepositoryPart(join(folder.shown, name)) ? putRepositoryPart : putFile;
  return put(folder, name, content);
}

/** Puts a file by whose name git may know a repository. Throws a refusal where it would start more by it. */
async function putRepositoryPart(
  folder: Folder,
  name: string,
  content: string | Buffer,
): Promise<{ existed: boolean }> {
  requireNoRepository(folder, name, content);
  const before = readPlainNow(folder.at(name), PART_BYTES);
  const put = await putFile(folder, name, content);
  try {
    // Two parts that are written at once are each missing when the other one is looked at.
    requireNoRepository(folder, name, content);
  } catch (error) {
    await (before === null ? unlink(folder.at(name)) : putFile(folder, name, before)).catch(() => undefined);
    throw error;
  }
  return put;
}

/**
 * Throws a refusal for a manifest by which something else would start as `perdure` than by the one that is there. By
 * whatever name: a link may lead to it.
 */
function requireUntaken(folder: Folder, name: string, content: string | Buffer): void {
  const by = perdureBy(content.toString());
  if (by !== null && by !== perdureAt(folder.at(name)).by)
    throw new FileRefusal(
      `\`${join(folder.shown, name)}\` would say what \`npx perdure\` starts, which is protected: leave ` +
        '`perdure` out of its `bin` and `scripts`, and name no `directories.bin`.',
    );
}

/** Throws a refusal for what has git take a folder for a repository, or start more in one. */
function requireNoRepository(folder: Folder, name: string, content: string | Buffer): void {
  const path = join(folder.shown, name);
  if (isRepositoryPart(path, realOf(folder.at('.')), content.toString())) throw repositoryRefusal(path);
}

function repositoryRefusal(path: string): FileRefusal {
  return new FileRefusal(
    `\`${path}\` would have git take its folder for a repository, and start what it says: use git.`,
  );
}

/** Removes an entry of an open folder, with all that is in it; a link is removed itself, and what it leads to stays. */
export async function removeEntry(folder: Folder, name: string): Promise<void> {
  await removeAt(folder.at('.'), name).catch((error: unknown) => {
    throw error instanceof FilledAgain ? new FileRefusal(error.message) : refusalOf(error, join(folder.shown, name));
  });
}

/** Entries of an open folder, sorted by name. */
export async function entriesOf(
  folder: Folder,
): Promise<{ name: string; kind: 'file' | 'folder' | 'link' | 'other' }[]> {
  const entries = await readdir(folder.at('.'), { withFileTypes: true });
  return entries
    .map((entry) => ({
      name: entry.name,
      kind: entry.isFile()
        ? ('file' as const)
        : entry.isDirectory()
          ? ('folder' as const)
          : entry.isSymbolicLink()
            ? ('link' as const)
            : ('other' as const),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Where a path leads that goes through links: from the workspace's root, when that is inside of it, else null. */
export async function resolveLinks(workspace: string, path: string): Promise<string | null> {
  const [root, real] = await Promise.all([realpath(workspace), realpath(join(workspace, path)).catch(() => null)]);
  return real === null || !isBelow(real, root) ? null : relative(root, real);
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

async function linkRefusal(path: string, shown: string): Promise<FileRefusal | null> {
  const found = await lstat(path).catch(() => null);
  return found?.isSymbolicLink() === true ? isLink(shown) : null;
}

function isLink(shown: string): FileRefusal {
  return new LinkRefusal(
    `\`${shown}\` is a symbolic link that leads out of the workspace, or is to be written through.`,
  );
}
