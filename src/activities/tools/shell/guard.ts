import { lstatSync, readlinkSync } from 'node:fs';
import { chmod, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Folder } from '../../workspace/open.js';
import { enterEntry, putFile, withFolder } from '../../workspace/open.js';
import type { Aside } from '../../workspace/set-aside.js';
import { renameReadable } from '../../workspace/unnamed.js';
import { entryAt } from '../../../store/folders/entry-at.js';
import { makeReadable } from '../../../store/folders/remove.js';
import { errorCode } from '../../../store/store-failure.js';
import { FileRefusal } from '../../refusal.js';

/** Of its owner to a folder. */
const OWN_RIGHTS = 0o700;

/** What stands at a path: `link` with where it leads; `closed` is what nobody may look at. */
type Standing = { kind: 'missing' | 'closed' | 'folder' | 'other' } | { kind: 'link'; to: string };

/**
 * What cannot be mounted because it is not there, or is a link, must not be made or changed by a command either: it is
 * looked at again at the command's end, when nothing of it is alive. What was not there is set aside, itself and never
 * what a link leads to, and a link is put back: nobody knows whether the command made it, or a person meanwhile.
 * `places` are those of `keptPlaces`. Gives the paths that were made or changed.
 */
export function guardMissing(workspace: string, places: string[], aside: Aside): () => Promise<string[]> {
  const before = new Map(places.flatMap((path) => unmountable(workspace, path)));
  return () =>
    withFolder(workspace, async (root) => {
      const made: string[] = [];
      for (const [path, standing] of before) {
        const isMade = await aside.attempt(() => settle(root, path.split('/'), { before: standing, aside }));
        if (isMade) made.push(path);
      }
      return made;
    });
}

/**
 * Sets aside what was made at a path from the root, or the link on the way; says whether there was any. With `to` a
 * link to there is put in its place.
 */
export function takeMade(workspace: string, path: string, aside: Aside, to: string | null = null): Promise<boolean> {
  const before: Standing = to === null ? { kind: 'missing' } : { kind: 'link', to };
  return withFolder(workspace, (root) => settle(root, path.split('/'), { before, aside }));
}

/** Sets aside a folder whose name is no UTF-8; `path` is what is shown for it. Says whether it was there. */
export function takeUnnamed(
  workspace: string,
  { path, name }: { path: string; name: Buffer },
  aside: Aside,
): Promise<boolean> {
  return atOpened(workspace, path, (folder) =>
    aside.attempt(async () => {
      const readable = renameReadable(folder, name);
      if (readable !== null) await aside.take(folder, readable);
      return readable !== null;
    }),
  );
}

/**
 * Puts a text in the place of the file at a path from the root, which is set aside; says whether it could. It gets
 * these rights, or keeps those of the file. No link is followed.
 */
export function putInPlace(
  workspace: string,
  { path, text, mode: before }: { path: string; text: string; mode?: number | undefined },
  aside: Aside,
): Promise<boolean> {
  return atOpened(workspace, path, async (folder, name) => {
    // A hook stays one, and what nobody else may read stays so.
    const mode = before ?? entryAt(folder.at(name))?.mode;
    await aside.take(folder, name);
    await putFile(folder, name, text);
    if (mode !== undefined) await chmod(folder.at(name), mode & 0o777);
    return true;
  });
}

/** Does something in the folder of a path from the root, whatever rights are on the way; false where it is gone. */
function atOpened(
  workspace: string,
  path: string,
  act: (folder: Folder, name: string) => Promise<boolean>,
): Promise<boolean> {
  const enter = async (folder: Folder, [name = '', ...rest]: string[]): Promise<boolean> => {
    await openRights(folder.at('.'));
    return rest.length === 0 ? act(folder, name) : enterOpened(folder, name, (inner) => enter(inner, rest));
  };
  return withFolder(workspace, (root) => enter(root, path.split('/'))).catch(orNothing);
}

/** What is told of what was made while a program ran, and was put back, each in words: nobody knows who made it. */
export function madeProtected(program: string, made: string[]): string {
  return (
    `While ${program} ran, ${made.join(', ')} was made or changed, which is protected; it was put back as it had ` +
    'been. The log of the step says where what was found is kept.'
  );
}

/** Of a path that no mount keeps: the link on the way, or itself. */
function unmountable(workspace: string, path: string): [string, Standing][] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  for (const [index] of parts.entries()) {
    const way = parts.slice(0, index + 1).join('/');
    const standing = standingAt(join(workspace, way));
    if (standing.kind === 'link') return [[way, standing]];
    if (standing.kind === 'missing' || standing.kind === 'closed') return [[parts.join('/'), standing]];
    // A mount keeps a file; below one nothing can be, until it is exchanged.
    if (standing.kind === 'other') return index === parts.length - 1 ? [] : [[parts.join('/'), standing]];
  }
  return [];
}

/** What stands there now: another command may exchange it between two looks. */
function standingAt(path: string): Standing {
  for (;;) {
    let found;
    try {
      found = lstatSync(path);
    } catch (error) {
      return { kind: errorCode(error) === 'EACCES' ? 'closed' : 'missing' };
    }
    if (!found.isSymbolicLink()) return { kind: found.isDirectory() ? 'folder' : 'other' };
    const to = linkAt(path);
    if (to !== null) return { kind: 'link', to };
  }
}

/** Where a link leads; null where it is one no more. */
function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (['EINVAL', 'ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}

/** Puts an entry below an open folder back to what it was; says whether it had to be. */
async function settle(
  folder: Folder,
  [name = '', ...rest]: string[],
  how: { before: Standing; aside: Aside },
): Promise<boolean> {
  const { before, aside } = how;
  const path = folder.at(name);
  const now = standingAt(path);
  if (isNothing(now, before, rest.length > 0)) return false;
  await openRights(folder.at('.'));
  if (rest.length > 0) {
    if (now.kind === 'folder') {
      const inner = (entered: Folder): Promise<boolean> => settle(entered, rest, how);
      const entered =
        before.kind === 'closed' ? enterEntry(folder, name, false, inner) : enterOpened(folder, name, inner);
      return entered.catch(orNothing);
    }
    // A link or a file where nothing or a folder was (`gitdir: elsewhere`) leads away from what is looked for.
    await aside.take(folder, name);
    return true;
  }
  if (before.kind !== 'link') {
    await aside.take(folder, name);
    return true;
  }
  if (now.kind === 'link' && now.to === before.to) return false;
  await aside.take(folder, name);
  await symlink(before.to, path).catch((error: unknown) => {
    // Another command has made something there since, and its own end settles that.
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  return true;
}

/** One that nobody may list, or change, is entered by who knows the names in it, as git does. */
async function enterOpened<T>(folder: Folder, name: string, act: (inner: Folder) => Promise<T>): Promise<T> {
  await openRights(folder.at(name));
  return enterEntry(folder, name, false, act);
}

/** Gives its owner the rights to a folder that are needed to see what is in it, and to take something away from it. */
export async function openRights(path: string): Promise<void> {
  const { mode } = entryAt(path) ?? { mode: OWN_RIGHTS };
  if ((mode & OWN_RIGHTS) !== OWN_RIGHTS) await makeReadable(path).catch(() => false);
}

/** Tells whether nothing is to be taken away at a place or below it, as far as anybody may look. */
function isNothing(now: Standing, before: Standing, isOnWay: boolean): boolean {
  if (now.kind === 'missing' || now.kind === 'closed') return isOnWay || before.kind !== 'link';
  return isOnWay && now.kind === 'other' && before.kind === 'other';
}

/** What is gone meanwhile, or may not be entered, is not there. */
function orNothing(error: unknown): false {
  if (error instanceof FileRefusal) return false;
  throw error;
}
