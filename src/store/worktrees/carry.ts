import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { lstat, mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeFolder } from '../folders/remove.js';
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
 * Takes them from a tree in which nobody works any more, and which is about to be removed. Who copies the earlier ones
 * meanwhile misses them for two renames, and sees by `carriedNow` that they were replaced.
 */
export async function carryFrom(places: TreePlaces, tree: string, paths: string[]): Promise<void> {
  for (const path of paths) {
    const [from, to] = [join(tree, path), join(carriedFolder(places), path)];
    const earlier = join(dirname(to), '.perdure-earlier');
    await removeFolder(earlier); // of a worker that was lost then
    // A link on the way, which an agent may have made, would lead elsewhere.
    if (!isFolder(from) || realpathSync(from) !== join(realpathSync(tree), path)) continue;
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    if (existsSync(to)) await rename(to, earlier);
    await rename(from, to);
    await removeFolder(earlier);
  }
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
