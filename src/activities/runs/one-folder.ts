import { mayChangeWorkspace } from '../../plan/calls/reuse.js';
import { folderOnHost } from '../../plan/placement/worker-record.js';
import type { Plan } from '../../plan/plan.js';
import type { RunSettings } from '../../plan/run-input.js';
import type { Store } from '../../store/store.js';

/**
 * Tells whether a run may change files of the project's folder, of which each worker of its store may have another:
 * its steps must find the same one (decision 45).
 */
export function worksInFolder(
  plan: Plan,
  { worktree }: Pick<RunSettings, 'worktree'>,
  { homes }: Pick<Store, 'homes'>,
): boolean {
  return homes !== null && worktree === undefined && mayChangeWorkspace(plan);
}

/** Why a run cannot work in the project's folder, whose workers have several of these; null where it can. */
export async function foldersFault(
  plan: Plan,
  settings: Pick<RunSettings, 'worktree'>,
  store: Pick<Store, 'homes' | 'listWorkers'>,
): Promise<string | null> {
  if (!worksInFolder(plan, settings, store)) return null;
  const folders = [...new Set((await store.listWorkers()).map(folderOnHost))];
  return folders.length < 2
    ? null
    : `Steps of \`${plan.name}\` may change files of the project's folder, and the workers of this store have ` +
        `${String(folders.length)} of them: ${folders.slice(0, 3).join(', ')}. Each step would find other files.`;
}

/** What helps where workers have several folders. */
export const FOLDERS_HINT =
  'Write `workspace: worktree` in the definition, and its files go along; or `effect: none` at steps that change none.';
