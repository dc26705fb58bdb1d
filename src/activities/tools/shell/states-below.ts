import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isStateFolder } from '../../../store/folders/state-folders.js';

/** So deep and so many folders are looked at, and what was found holds so long. */
const DEEPEST = 3;
const MOST_FOLDERS = 1_000;
const VALID_MS = 60_000;
const SKIPPED = new Set(['.git', 'node_modules']);

interface Looked {
  at: number;
  found: Promise<string[]>;
}

const known = new Map<string, Looked>();

/**
 * State folders of other projects below a workspace, near its root: of a repository of many projects, say. Our own is
 * known by its path; file tools know each when they come to it.
 */
export function statesBelow(workspace: string): Promise<string[]> {
  const last = known.get(workspace);
  if (last !== undefined && Date.now() - last.at < VALID_MS) return last.found;
  const found = look(workspace);
  known.set(workspace, { at: Date.now(), found });
  return found;
}

async function look(workspace: string): Promise<string[]> {
  const states: string[] = [];
  let level = [workspace];
  let left = MOST_FOLDERS;
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth += 1) {
    const looked = level.slice(0, left);
    left -= looked.length;
    const inside = (await Promise.all(looked.map(foldersIn))).flat();
    const isState = inside.map((folder) => basename(folder) === '.perdure' || isStateFolder(folder));
    states.push(...inside.filter((_folder, index) => isState[index]));
    level = inside.filter((_folder, index) => !isState[index]);
  }
  return states;
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
    .map((entry) => join(folder, entry.name));
}
