import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
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

/** Gives a tree those that it has not got. */
export async function carryInto(places: TreePlaces, tree: string, paths: string[]): Promise<void> {
  for (const path of paths) if (!existsSync(join(tree, path))) await copyFolder(path, carriedFolder(places), tree);
}

/** Takes them from a tree in which nobody works any more, and which is about to be removed. */
export async function carryFrom(places: TreePlaces, tree: string, paths: string[]): Promise<void> {
  for (const path of paths) {
    const from = join(tree, path);
    // A link on the way, which an agent may have made, would lead elsewhere.
    if (!isFolder(from) || realpathSync(from) !== join(realpathSync(tree), path)) continue;
    const to = join(carriedFolder(places), path);
    await removeFolder(to);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await rename(from, to);
  }
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
