import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeReadable } from '../../store/folders/remove.js';
import { isStateFolder } from '../../store/folders/state-folders.js';
import { FileRefusal } from '../refusal.js';

/** State folders are looked for so deep; what else matters is looked for in folders that lie so deep. */
const DEEPEST = 3;
const AT_ONCE = 64;
/** A folder of that name is hidden by it. */
export const STATE = '.perdure';
const PACKAGES = 'node_modules';
const SKIPPED = new Set(['.git', PACKAGES]);

/** What matters of the folders near the root of a workspace, that one among them. All are absolute paths. */
export interface Near {
  /** State folders; what is in them is none of it. */
  states: string[];
  /** Folders that have a `package.json`. */
  manifests: string[];
  /** Folders that have packages (`node_modules`). */
  packages: string[];
  /** Sockets of Unix, whether somebody listens there or not. */
  sockets: string[];
}

/**
 * Looks at the folders of a workspace, but not into those of packages and repositories. With `opening` one that nobody
 * may list gets its owner's rights. Throws a refusal where there are more than `most` in which a state folder may lie.
 */
export async function lookNear(
  workspace: string,
  { most = Infinity, opening = false }: { most?: number; opening?: boolean } = {},
): Promise<Near> {
  const near: Near = { states: [], manifests: [], packages: [], sockets: [] };
  let level = [workspace];
  let left = most;
  for (let depth = 0; level.length > 0; depth += 1) {
    left -= level.length;
    if (left < 0 && depth < DEEPEST)
      throw new FileRefusal(
        `The workspace has more than ${most} folders near its root: nobody knows which hold state of Perdure.`,
      );
    if (left < 0) break;
    const inside: string[] = [];
    // Not all at once: each takes a descriptor.
    for (let at = 0; at < level.length; at += AT_ONCE)
      for (const folders of await Promise.all(
        level.slice(at, at + AT_ONCE).map((folder) => lookInto(folder, near, opening)),
      ))
        for (const folder of folders) inside.push(folder);
    if (depth === DEEPEST) break;
    level = inside.filter((folder) => !isState(folder) || (near.states.push(folder), false));
  }
  return near;
}

function isState(folder: string): boolean {
  return basename(folder) === STATE || isStateFolder(folder);
}

/** Notes what a folder has, and gives the folders in it. */
async function lookInto(folder: string, { manifests, packages, sockets }: Near, opening: boolean): Promise<string[]> {
  const list = (): Promise<Dirent[]> => readdir(folder, { withFileTypes: true });
  const entries = await list()
    .catch(async () => (opening && (await makeReadable(folder)) ? list() : []))
    .catch(() => []);
  for (const entry of entries) {
    if (entry.name === 'package.json') manifests.push(folder);
    if (entry.name === PACKAGES) packages.push(folder);
    if (entry.isSocket()) sockets.push(join(folder, entry.name));
  }
  return entries
    .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
    .map((entry) => join(folder, entry.name));
}
