import type { Stats } from 'node:fs';
import { readlinkSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { entryAt } from '../../../store/folders/entry-at.js';
import { isBelow } from '../../../store/folders/places.js';
import { STORE_FILE, isStateFolder } from '../../../store/folders/state-folders.js';
import type { Harm } from '../../workspace/inner-repositories.js';
import { harmOf } from '../../workspace/inner-repositories.js';
import { STATE, lookNear } from '../../workspace/near-root.js';
import { AMONG_PACKAGES, MANIFEST, SETTINGS, isStarter, perdureAt, settingsAt } from '../../workspace/perdure-names.js';
import { gitTops, unnamedBelow } from '../../workspace/projects-in.js';
import { readableName } from '../../workspace/unnamed.js';

/** What stands at a path: what it comes to for who is misled by it, its text where that can be put back. */
export interface Found {
  by: string;
  text: string;
  /** Its rights, where these are put back with the text. */
  mode?: number;
  /** Of a folder its name's bytes, which are no UTF-8: nobody can look into it by that. */
  name?: Buffer;
  /** Where it leads, as a link. */
  link: string | null;
}

/**
 * What in a workspace would start as `perdure` or before it, what has a folder taken for one of state, and what has git
 * start programs in repositories inside, by the path from its root. A manifest that is a link is one of these
 * whatever it says: what it leads to has any name.
 */
export type Misleading = Map<string, Found>;

/**
 * Looks near the root of a workspace; of packages in no work tree, for nobody starts Perdure there; for git at nothing
 * that is `fixed`.
 */
export async function misleadingIn(
  workspace: string,
  { isWorkTree, opening, fixed = [] }: { isWorkTree: boolean; opening?: boolean; fixed?: string[] },
): Promise<Misleading> {
  const { states, manifests, settings, packages, repositories, bare, unnamed } = await lookNear(workspace, {
    opening: opening === true,
  });
  const found: Misleading = new Map();
  const add = (path: string, { by, text = '', link = linkAt(path) }: Partial<Found> & { by: string }): void =>
    void found.set(relative(workspace, path), { by, text, link });
  for (const path of manifests.map((folder) => join(folder, MANIFEST))) {
    const [{ by, text }, link] = [perdureAt(path), linkAt(path)];
    if (by !== null) add(path, { by, text, link });
    else if (link !== null) add(path, { by: '', link });
  }
  settings.forEach((folder) => {
    const said = settingsAt(join(folder, SETTINGS));
    if (said !== null) add(join(folder, SETTINGS), said);
  });
  for (const folder of [...(isStateFolder(workspace) ? [workspace] : []), ...states])
    if (basename(folder) !== STATE) add(join(folder, STORE_FILE), { by: 'there', link: null });
  for (const path of isWorkTree ? [] : packages.flatMap((folder) => AMONG_PACKAGES.map((name) => join(folder, name)))) {
    const stat = entryAt(path);
    if (stat !== null) add(path, { by: isStarter(path) ? identityOf(path, stat) : 'there', link: null });
  }
  const inside = (folders: string[]): string[] => folders.map((folder) => relative(workspace, folder));
  const near = inside(repositories);
  const tops = [...new Set([...near, ...(await gitTops(workspace, near))])];
  for (const { folder, name } of [...unnamed, ...(await unnamedBelow(workspace, tops))])
    found.set(relative(workspace, join(folder, readableName(name))), { by: 'there', text: '', name, link: null });
  for (const [path, harm] of gitHarmIn(workspace, {
    tops,
    bare: inside(bare),
    // What no command can change was changed by a person.
    isFixed: (path) => fixed.some((place) => isBelow(path, place)),
  }))
    found.set(path, { ...harm, link: null });
  return found;
}

/** What has git start programs in these repositories: those near the root, and those that git enters from there. */
function gitHarmIn(
  workspace: string,
  { tops, bare, isFixed }: { tops: string[]; bare: string[]; isFixed: (path: string) => boolean },
): [string, Harm][] {
  const found = [
    ...tops.filter((top) => !isFixed(join(top, '.git', 'config'))).map((top) => harmOf(workspace, top)),
    ...bare
      .filter((folder) => !isFixed(join(folder, 'config')))
      .map((folder) => harmOf(workspace, folder, { isBare: true })),
  ];
  return found.flatMap((harms) => [...harms].filter(([path]) => !isFixed(path)));
}

/** What changes with a program that is there, and with the one that it leads to. */
function identityOf(path: string, own: Stats): string {
  return [own, statAt(path)].map((stat) => `${stat?.ino}:${stat?.size}:${stat?.ctimeMs}`).join(' ');
}

/** What a path leads to; null where nothing is, or nobody may look. */
function statAt(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** Null for what is no link. */
function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
