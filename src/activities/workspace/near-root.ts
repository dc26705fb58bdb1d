import type { Dirent } from 'node:fs';
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { makeReadable } from '../../store/folders/remove.js';
import { isBelow, realOf } from '../../store/folders/places.js';
import { STORE_FILE, isStateFolder, stateAround } from '../../store/folders/state-folders.js';
import { FileRefusal } from '../refusal.js';
import { hasHead } from './inner-repositories.js';
import type { Unnamed } from './unnamed.js';
import { holdsAny, unnamedIn } from './unnamed.js';

/** State folders are looked for so deep; what else matters is looked for in folders that lie so deep. */
const DEEPEST = 3;
const AT_ONCE = 64;
/** A folder of that name is hidden by it. */
export const STATE = '.perdure';
const PACKAGES = 'node_modules';
/** By what is called so a folder matters, whatever is in it. */
const MATTERS = new Set(['package.json', '.npmrc', PACKAGES, '.git', 'HEAD', STORE_FILE, STATE]);
/** What a repository stores; beside it there may be sockets, such as that of its monitor of files. */
const STORED = /(?:^|\/)\.git\/(?:objects|refs|logs)$/;

/** What matters of the folders near the root of a workspace, that one among them. All are absolute paths. */
export interface Near {
  /** State folders; what is in them is none of it. */
  states: string[];
  /** Folders that have a `package.json`. */
  manifests: string[];
  /** Folders that have an `.npmrc`. */
  settings: string[];
  /** Folders that have packages (`node_modules`). */
  packages: string[];
  /** Folders that have a repository, or a file that says where it is (`.git`). */
  repositories: string[];
  /** Folders that git takes for a repository themselves, when somebody stands in one, be all its parts there or not. */
  bare: string[];
  /** Sockets of Unix, whether somebody listens there or not. */
  sockets: string[];
  /** Folders in which something of this matters, and which nobody can look into by their names. */
  unnamed: Unnamed[];
}

/**
 * Looks at the folders of a workspace, but not into those of packages, nor at what repositories store; where a link
 * leads to another folder of it, that one is near as well, however deep it lies: somebody may stand there by the link.
 * With `opening` one that nobody may list gets its owner's rights. Throws a refusal where there are more than `most` in
 * which a state folder may lie.
 */
export async function lookNear(
  workspace: string,
  { most = Infinity, opening = false }: { most?: number; opening?: boolean } = {},
): Promise<Near> {
  const near: Near = {
    states: [],
    manifests: [],
    settings: [],
    packages: [],
    repositories: [],
    bare: [],
    sockets: [],
    unnamed: [],
  };
  const seen = new Set([workspace]);
  let level = [workspace];
  let left = most;
  for (let depth = 0; level.length > 0; depth += 1) {
    left -= level.length;
    if (left < 0 && depth < DEEPEST)
      throw new FileRefusal(
        `The workspace has more than ${most} folders near its root: nobody knows which hold state of Perdure.`,
      );
    const [inside, links]: [string[], string[]] = [[], []];
    for (const [at, folder] of level.entries()) {
      // A promise for each would cost more than the look; others have their turn in between.
      if (at % AT_ONCE === AT_ONCE - 1) await pause();
      const entries = entriesOf(folder) ?? (opening ? await openedEntries(folder) : []);
      // A workspace is none of state, whatever lies in it.
      if (depth > 0 && isState(folder, entries)) near.states.push(folder);
      else inside.push(...note(folder, entries, { ...near, links }));
      near.unnamed.push(...unnamedWith(folder, entries, { depth, workspace }));
    }
    if (depth === DEEPEST) break;
    const led = links.flatMap((link) => folderAt(link, workspace) ?? []);
    level = [...new Set([...inside, ...led])].filter((folder) => !seen.has(folder));
    for (const folder of level) seen.add(folder);
  }
  return near;
}

/** Those folders in one at a depth that cannot be looked into by their names, and in which something matters. */
function unnamedWith(
  folder: string,
  entries: Dirent[],
  { depth, workspace }: { depth: number; workspace: string },
): Unnamed[] {
  if (depth === DEEPEST) return [];
  const below = { depth: DEEPEST - depth - 1, workspace };
  return unnamedIn(folder, entries).filter((one) => holdsAny(one, MATTERS, below));
}

/** Null where it cannot be listed. */
function entriesOf(folder: string): Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return null;
  }
}

async function openedEntries(folder: string): Promise<Dirent[]> {
  const isOpen = await makeReadable(folder).catch(() => false);
  return (isOpen ? entriesOf(folder) : null) ?? [];
}

/** Asked only where the name is there: a file that is not costs as much as the whole look. */
function isState(folder: string, entries: Dirent[]): boolean {
  return entries.some(({ name }) => name.toLowerCase() === STORE_FILE) && isStateFolder(folder);
}

/** The folder of the workspace to which a link leads; null for another, and for one of state. */
function folderAt(link: string, workspace: string): string | null {
  try {
    if (!statSync(link).isDirectory()) return null;
    const [root, real] = [realOf(workspace), realpathSync(link)];
    return isBelow(real, root) && stateAround(real) === null ? join(workspace, relative(root, real)) : null;
  } catch {
    return null; // it leads nowhere, or nobody may look
  }
}

/** Notes what a folder has, with its links, and gives the folders in it that are looked into. */
function note(
  folder: string,
  entries: Dirent[],
  {
    states,
    manifests,
    settings,
    packages,
    repositories,
    bare,
    sockets,
    links,
  }: Omit<Near, 'unnamed'> & {
    links: string[];
  },
): string[] {
  const inside: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.name === 'package.json') manifests.push(folder);
    if (entry.name === '.npmrc') settings.push(folder);
    if (entry.name === PACKAGES) packages.push(folder);
    else if (entry.isSymbolicLink()) links.push(path);
    if (entry.name === '.git') repositories.push(folder);
    // What else makes a repository may come to be there by who is asked for nothing.
    if (entry.name === 'HEAD' && basename(folder) !== '.git' && hasHead(folder)) bare.push(folder);
    if (entry.isSocket()) sockets.push(path);
    if (!entry.isDirectory() || entry.name === PACKAGES || STORED.test(path)) continue;
    if (entry.name === STATE) states.push(path);
    else inside.push(path);
  }
  return inside;
}
