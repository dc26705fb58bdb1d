import { lstatSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { STORE_FILE, isStateFolder } from '../../../store/folders/state-folders.js';
import { STATE, lookNear } from '../../workspace/near-root.js';
import { AMONG_PACKAGES, MANIFEST, perdureAt, withoutPerdure } from '../../workspace/perdure-names.js';
import { guardMissing, putInPlace, removeMade } from './guard.js';

/**
 * What in a workspace would start as `perdure`, and what has a folder taken for one of state, by the path from its
 * root; of a manifest what it says.
 */
type Misleading = Map<string, { by: string; text: string }>;

/** What was there when the first of the commands that run now began: another one may have made something since. */
const running = new Map<string, { commands: number; before: Promise<Misleading> }>();

/** So many folders lie in each other near the root, each hidden by the one above. */
const MOST_ROUNDS = 5;

/**
 * As `guardMissing`, and for all that a command makes near the root by which something else would start as `perdure`
 * (no package in a work tree: nobody starts Perdure there), or a folder would be hidden from agents as one of state
 * (but `.perdure`, which is hidden by its name, and may be a person's new project). Gives in words what was put back;
 * called once more it does nothing.
 */
export async function guardWorkspace(
  workspace: string,
  fixed: string[],
  isWorkTree: boolean,
): Promise<() => Promise<string[]>> {
  const settleMissing = guardMissing(workspace, fixed);
  const shared = running.get(workspace) ?? { commands: 0, before: misleadingIn(workspace, { isWorkTree }) };
  running.set(workspace, shared);
  shared.commands += 1;
  const before = await shared.before;
  const settle = async (): Promise<string[]> => {
    try {
      const made = (await settleMissing()).map((path) => `\`${path}\``);
      // Each time a folder that was taken for state is looked into.
      for (let round = 0; round < MOST_ROUNDS; round += 1) {
        const more = await settleMisleading(
          workspace,
          before,
          await misleadingIn(workspace, { isWorkTree, opening: true }),
        );
        if (more.length === 0) break;
        made.push(...more);
      }
      return made;
    } finally {
      shared.commands -= 1;
      if (shared.commands === 0) running.delete(workspace);
    }
  };
  let settled: Promise<string[]> | null = null;
  return () => (settled ??= settle());
}

async function misleadingIn(
  workspace: string,
  { isWorkTree, opening }: { isWorkTree: boolean; opening?: boolean },
): Promise<Misleading> {
  const { states, manifests, packages } = await lookNear(workspace, { opening: opening === true });
  const found: Misleading = new Map();
  for (const folder of manifests) {
    const { by, text } = perdureAt(join(folder, MANIFEST));
    if (by !== null) found.set(relative(workspace, join(folder, MANIFEST)), { by, text });
  }
  for (const folder of [...(isStateFolder(workspace) ? [workspace] : []), ...states])
    if (basename(folder) !== STATE) found.set(relative(workspace, join(folder, STORE_FILE)), { by: 'there', text: '' });
  for (const path of isWorkTree ? [] : packages.flatMap((folder) => AMONG_PACKAGES.map((name) => join(folder, name))))
    if (kindOf(path) !== null) found.set(relative(workspace, path), { by: 'there', text: '' });
  return found;
}

/** Null where nothing is, or nobody may look. */
function kindOf(path: string): 'file' | 'other' | null {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat === undefined ? null : stat.isFile() ? 'file' : 'other';
  } catch {
    return null;
  }
}

async function settleMisleading(workspace: string, before: Misleading, now: Misleading): Promise<string[]> {
  const made = [...now].filter(([path, { by }]) => before.get(path)?.by !== by);
  const settled: string[] = [];
  for (const [path, { text }] of made) {
    const isManifest = basename(path) === MANIFEST;
    const isSettled =
      isManifest && text !== '' && kindOf(join(workspace, path)) === 'file'
        ? await putInPlace(workspace, path, before.get(path)?.text ?? withoutPerdure(text))
        : await removeMade(workspace, path);
    if (isSettled) settled.push(isManifest ? `what \`${path}\` says is \`perdure\`` : `\`${path}\``);
  }
  return settled;
}
