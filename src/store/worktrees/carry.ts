import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { lstat, mkdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeReadable, removeFolder } from '../folders/remove.js';
import { stateAround } from '../folders/state-folders.js';
import { copyFolder } from '../git/copy-folder.js';
import type { TreePlaces } from './places.js';

/** Where the folders that git ignores are kept between trees: no run works there. */
export function carriedFolder({ folder }: TreePlaces): string {
  return join(folder, 'carried');
}

/**
 * Takes such folders from the project, once: what is missing there is missing. Nothing of a state folder is taken: a
 * link that an agent has put in the way may lead there.
 */
export async function carryFromProject(places: TreePlaces, project: string, paths: string[]): Promise<void> {
  await emptyCarried(places);
  for (const path of paths) {
    const from = join(project, path);
    if (isFolder(from) && stateAround(realpathSync(from)) === null)
      await copyFolder(path, project, carriedFolder(places));
  }
}

/** Begins anew, with none. */
export async function emptyCarried(places: TreePlaces): Promise<void> {
  await removeFolder(carriedFolder(places));
  await mkdir(carriedFolder(places), { recursive: true, mode: 0o700 });
}

/** Tells these folders from what others have put in their place since. */
export async function carriedNow(places: TreePlaces, paths: string[]): Promise<string> {
  const of = async (path: string): Promise<string> => {
    const found = await lstat(join(carriedFolder(places), path), { bigint: true }).catch(() => null);
    // A number may be given again to a later folder: the time at which it got its name is another one then.
    return found === null ? '' : [found.dev, found.ino, found.ctimeNs].join(':');
  };
  return (await Promise.all(paths.map(of))).join(' ');
}

/** Gives a tree those that it has not got. */
export async function carryInto(places: TreePlaces, tree: string, paths: string[]): Promise<void> {
  for (const path of paths) if (!existsSync(join(tree, path))) await copyFolder(path, carriedFolder(places), tree);
}

/**
 * Takes them from a tree in which nobody works any more, and which is about to be removed; the branch is held. Who
 * copies the earlier ones meanwhile misses them for two renames, and sees by `carriedNow` that they were replaced.
 */
export async function carryFrom(places: TreePlaces, tree: string, paths: string[]): Promise<void> {
  for (const path of paths) {
    const [from, to] = [join(tree, path), join(carriedFolder(places), path)];
    if (!(await openWay(tree, path)) || !(await makeWay(carriedFolder(places), path))) continue;
    if (isThere(to)) await rename(to, earlierAt(to));
    await rename(from, to);
    await removeFolder(earlierAt(to));
  }
}

/**
 * Ends what a `carryFrom` that was killed, or failed, has left: the earlier folder has its name again where none has
 * taken its place. Else the next steps would work without it.
 */
export async function settleCarried(places: TreePlaces, paths: string[]): Promise<void> {
  for (const path of paths) {
    const to = join(carriedFolder(places), path);
    if (!(await openWay(carriedFolder(places), dirname(path)))) continue;
    if (isThere(to)) await removeFolder(earlierAt(to));
    else if (isThere(earlierAt(to))) await rename(earlierAt(to), to);
  }
}

/** Where the earlier folder is while another takes its place. */
function earlierAt(to: string): string {
  return join(dirname(to), `.perdure-earlier-${basename(to)}`);
}

/**
 * Whether folders alone lead to a path, which is one too: a link on the way, which an agent may have made, would lead
 * elsewhere. They are made ours to write, without which nothing can be moved out of them, nor themselves.
 */
async function openWay(root: string, path: string): Promise<boolean> {
  for (const at of [root, ...wayTo(root, path)]) {
    if (!isFolder(at)) return false;
    await makeReadable(at);
  }
  return true;
}

/** Makes the folders on the way to a path; false where something else is in the way. */
async function makeWay(root: string, path: string): Promise<boolean> {
  for (const at of [root, ...wayTo(root, path).slice(0, -1)]) {
    if (!isThere(at)) await mkdir(at, { mode: 0o700 });
    if (!isFolder(at)) return false;
  }
  return true;
}

/** The places on the way to a path, from the top; itself last. */
function wayTo(root: string, path: string): string[] {
  return path.split('/').map((_, index, names) => join(root, ...names.slice(0, index + 1)));
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
