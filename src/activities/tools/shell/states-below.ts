import { basename, join } from 'node:path';
import { STATE, lookNear } from '../../workspace/near-root.js';
import { isStateFolder } from '../../../store/folders/state-folders.js';

/**
 * So many folders are looked at, and what was found holds so long. Where there are more nobody knows what is state
 * among them: an agent can make folders, too.
 */
const MOST_FOLDERS = 100_000;
const VALID_MS = 60_000;

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
  // What a command had made, and was removed at its end, is none.
  const others = (await statesBelow(workspace)).filter((path) => basename(path) === STATE || isStateFolder(path));
  return [...new Set([...own, ...(ours === null ? [] : [ours]), ...others])];
}

/**
 * State folders of other projects below a workspace, near its root: of a repository of many projects, say. Our own is
 * known by its path; file tools know each when they come to it. Throws a refusal where there are too many folders.
 */
function statesBelow(workspace: string): Promise<string[]> {
  const last = known.get(workspace);
  if (last !== undefined && Date.now() - last.at < VALID_MS) return last.found;
  const found = lookNear(workspace, MOST_FOLDERS).then(({ states }) => states);
  known.set(workspace, { at: Date.now(), found });
  return found;
}
