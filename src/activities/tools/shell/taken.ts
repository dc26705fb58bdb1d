import { lstatSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { lookNear } from '../../workspace/near-root.js';
import { AMONG_PACKAGES, MANIFEST, perdureAt, withoutPerdure } from '../../workspace/perdure-names.js';
import { guardMissing, putInPlace, removeMade } from './guard.js';

/** What would start as `perdure` in a workspace, by the path from its root; of a manifest what it says. */
type Starting = Map<string, { by: string; text: string }>;

/** What was there when the first of the commands that run now began: another one may have made something since. */
const running = new Map<string, { commands: number; before: Promise<Starting> }>();

/**
 * As `guardMissing`, and for all that a command makes near the root by which something else would start as `perdure`
 * (no package in a work tree: nobody starts Perdure there). Gives in words what was put back; called once more it does
 * nothing.
 */
export async function guardWorkspace(
  workspace: string,
  fixed: string[],
  isWorkTree: boolean,
): Promise<() => Promise<string[]>> {
  const settleMissing = guardMissing(workspace, fixed);
  const shared = running.get(workspace) ?? { commands: 0, before: startingIn(workspace, isWorkTree) };
  running.set(workspace, shared);
  shared.commands += 1;
  const before = await shared.before;
  const settle = async (): Promise<string[]> => {
    try {
      const missing = await settleMissing();
      return [...missing, ...(await settleStarting(workspace, before, await startingIn(workspace, isWorkTree)))];
    } finally {
      shared.commands -= 1;
      if (shared.commands === 0) running.delete(workspace);
    }
  };
  let settled: Promise<string[]> | null = null;
  return () => (settled ??= settle());
}

async function startingIn(workspace: string, isWorkTree: boolean): Promise<Starting> {
  const { manifests, packages } = await lookNear(workspace);
  const starting: Starting = new Map();
  for (const folder of manifests) {
    const { by, text } = perdureAt(join(folder, MANIFEST));
    if (by !== null) starting.set(relative(workspace, join(folder, MANIFEST)), { by, text });
  }
  for (const path of isWorkTree ? [] : packages.flatMap((folder) => AMONG_PACKAGES.map((name) => join(folder, name))))
    if (kindOf(path) !== null) starting.set(relative(workspace, path), { by: 'there', text: '' });
  return starting;
}

/** Null where nothing is, or nobody may look. */
function kindOf(path: string): 'file' | 'other' | null {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found === undefined ? null : found.isFile() ? 'file' : 'other';
  } catch {
    return null;
  }
}

async function settleStarting(workspace: string, before: Starting, now: Starting): Promise<string[]> {
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
