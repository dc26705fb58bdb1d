import { posix } from 'node:path';
import type { Permissions } from '../../../plan/tools/permission.js';
import { judgeAction } from '../../../plan/tools/permission.js';
import { isStateFolder } from '../../../store/folders/state-folders.js';
import type { Folder } from '../../workspace/open.js';
import { entriesOf, inFolder, openEntry } from '../../workspace/open.js';
import { FileRefusal } from '../../refusal.js';

/** Folders that hold what others wrote: looked into only when they are named. */
const SKIPPED = new Set(['.git', 'node_modules', '.perdure', '__pycache__', '.venv']);
/** Entries that one walk looks at, unless it says otherwise. */
const MOST_ENTRIES = 100_000;
const DEEPEST = 64;
/** Of folders of state that a walk has passed over, so many are named. */
const MOST_STATES = 5;
/** What a model is told of a walk that did not see all. */
export const NOT_ALL = `[not all was looked at: at most ${MOST_ENTRIES} entries are, and ${DEEPEST} folders deep]`;

/** What a model is told of folders that were passed over because they look like those of state: nothing for none. */
export function passedOver(states: string[]): string[] {
  if (states.length === 0) return [];
  const named = states.slice(0, MOST_STATES).map((path) => `\`${path}\``);
  const more = states.length > MOST_STATES ? ` and ${states.length - MOST_STATES} more` : '';
  return [`[not looked at, as state of Perdure: ${named.join(', ')}${more}]`];
}

export interface Found {
  /** From the workspace's root. */
  path: string;
  kind: 'file' | 'folder' | 'link' | 'other';
  folder: Folder;
  name: string;
}

/** What a walk stands in. */
interface Walk {
  workspace: string;
  permissions: Permissions;
  signal: AbortSignal;
}

/**
 * Visits what is in a folder, or all that is below it, in the order of names, links not followed, until `visit` says
 * `stop`. What may not be read is passed over; `onState` is told of state folders by another name than ours. Tells
 * whether that was all: false where more stood there than one walk looks at, or deeper.
 */
export async function walk(
  { workspace, permissions, signal }: Walk,
  path: string,
  { below, most = MOST_ENTRIES, onState }: { below: boolean; most?: number; onState?: (path: string) => void },
  visit: (found: Found) => Promise<'go on' | 'stop'>,
): Promise<boolean> {
  let count = 0;
  let whole = true;
  const descend = async (folder: Folder, depth: number): Promise<'go on' | 'stop'> => {
    for (const { name, kind } of await entriesOf(folder)) {
      signal.throwIfAborted();
      if ((count += 1) > most) {
        whole = false;
        return 'stop';
      }
      const at = posix.join(folder.shown, name);
      if (judgeAction(permissions, { kind: 'read', path: at }).verdict !== 'allow') continue;
      if (kind === 'folder' && isStateFolder(folder.at(name))) {
        if (!SKIPPED.has(name)) onState?.(at);
        continue;
      }
      if ((await visit({ path: at, kind, folder, name })) === 'stop') return 'stop';
      if (!below || kind !== 'folder' || SKIPPED.has(name)) continue;
      if (depth === DEEPEST) {
        whole = false;
        continue;
      }
      if ((await into(folder, name, (inner) => descend(inner, depth + 1))) === 'stop') return 'stop';
    }
    return 'go on';
  };
  await inFolder(workspace, path, (folder) => descend(folder, 0));
  return whole;
}

/** A folder that is gone, or became a link in the meantime, has nothing to show. */
async function into(
  folder: Folder,
  name: string,
  act: (inner: Folder) => Promise<'go on' | 'stop'>,
): Promise<'go on' | 'stop'> {
  try {
    return await openEntry(folder, name, false, act);
  } catch (error) {
    if (error instanceof FileRefusal) return 'go on';
    throw error;
  }
}
