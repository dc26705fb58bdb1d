import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FileRefusal } from '../../refusal.js';
import { isStateFolder } from '../../../store/folders/state-folders.js';

/**
 * So deep and so many folders are looked at, and what was found holds so long. Where there are more nobody knows what
 * is state among them: an agent can make folders, too.
 */
const DEEPEST = 3;
const MOST_FOLDERS = 100_000;
const VALID_MS = 60_000;
const AT_ONCE = 64;
const STATE = '.perdure';
const SKIPPED = new Set(['.git', 'node_modules']);

interface Looked {
  at: number;
  found: Promise<string[]>;
}

const known = new Map<string, Looked>();

/**
 * The state folders that no program in a workspace sees: its own, ours wherever it lies, those of trusted projects in
 * it (as paths from its root), and others near its root. Throws a refusal where nobody knows them all.
 */
export async function hiddenStates(workspace: string, ours: string | null, projects: string[]): Promise<string[]> {
  const own = ['', ...projects].map((path) => join(workspace, path, STATE));
  return [...new Set([...own, ...(ours === null ? [] : [ours]), ...(await statesBelow(workspace))])];
}

/**
 * State folders of other projects below a workspace, near its root: of a repository of many projects, say. Our own is
 * known by its path; file tools know each when they come to it. Throws a refusal where there are too many folders.
 */
function statesBelow(workspace: string): Promise<string[]> {
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
    left -= level.length;
    if (left < 0)
      throw new FileRefusal(
        `The workspace has more than ${MOST_FOLDERS} folders near its root: nobody knows which hold state of Perdure.`,
      );
    const inside: string[] = [];
    // Not all at once: each takes a descriptor.
    for (let at = 0; at < level.length; at += AT_ONCE)
      inside.push(...(await Promise.all(level.slice(at, at + AT_ONCE).map(foldersIn))).flat());
    const isState = inside.map((folder) => basename(folder) === STATE || isStateFolder(folder));
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
