import { lstatSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { STORE_FILE, isStateFolder } from '../../../store/folders/state-folders.js';
import { withoutHarm } from '../../workspace/git-settings.js';
import { harmOf } from '../../workspace/inner-repositories.js';
import { STATE, lookNear } from '../../workspace/near-root.js';
import { isWorkTree as isInWorkTree } from '../../workspace/own-code.js';
import { AMONG_PACKAGES, MANIFEST, perdureAt, withoutPerdure } from '../../workspace/perdure-names.js';
import { gitTops } from '../../workspace/projects-in.js';
import type { Aside, AsideOwner } from '../../workspace/set-aside.js';
import { createAside } from '../../workspace/set-aside.js';
import { guardMissing, putInPlace, takeMade } from './guard.js';

/**
 * What in a workspace would start as `perdure`, what has a folder taken for one of state, and what has git start
 * programs in repositories inside, by the path from its root; of a manifest and a configuration what it says.
 */
type Misleading = Map<string, { by: string; text: string }>;

/** What was there when the first of the commands that run now began: another one may have made something since. */
const running = new Map<string, { commands: number; before: Promise<Misleading> }>();

/** Files of which only a part misleads: the text without it, and how it is told of. */
const PARTS: Record<string, { without: (text: string) => string; says: (path: string) => string }> = {
  [MANIFEST]: { without: withoutPerdure, says: (path) => `what \`${path}\` says is \`perdure\`` },
  ...Object.fromEntries(
    ['config', 'config.worktree'].map((name) => [
      name,
      { without: withoutHarm, says: (path: string) => `what \`${path}\` has git do` },
    ]),
  ),
};

/** So many folders lie in each other near the root, each hidden by the one above. */
const MOST_ROUNDS = 5;

/**
 * As `guardMissing`, and for all that a command makes near the root by which something else would start as `perdure`
 * (no package in a work tree: nobody starts Perdure there), or a folder would be hidden from agents as one of state
 * (but `.perdure`, which is hidden by its name, and may be a person's new project), or by which git, which enters
 * repositories inside by itself, would start a program there. Gives in words what was put back; called once more it does
 * nothing.
 */
export async function guardWorkspace(
  workspace: string,
  fixed: string[],
  owner: AsideOwner,
): Promise<() => Promise<string[]>> {
  const isWorkTree = isInWorkTree(workspace, owner.store.folder);
  const aside = createAside(owner);
  const settleMissing = guardMissing(workspace, fixed, aside);
  const shared = running.get(workspace) ?? { commands: 0, before: misleadingIn(workspace, { isWorkTree }) };
  running.set(workspace, shared);
  shared.commands += 1;
  const before = await shared.before;
  const settle = async (): Promise<string[]> => {
    try {
      const made = (await settleMissing()).map((path) => `\`${path}\``);
      // Each time a folder that was taken for state is looked into.
      for (let round = 0; round < MOST_ROUNDS; round += 1) {
        const now = await misleadingIn(workspace, { isWorkTree, opening: true, fixed });
        const more = await settleMisleading(workspace, { before, now }, aside);
        if (more.length === 0) break;
        made.push(...more);
      }
      aside.finish();
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
  { isWorkTree, opening, fixed = [] }: { isWorkTree: boolean; opening?: boolean; fixed?: string[] },
): Promise<Misleading> {
  const near = await lookNear(workspace, { opening: opening === true });
  const { states, manifests, packages, repositories } = near;
  const found: Misleading = new Map();
  for (const folder of manifests) {
    const { by, text } = perdureAt(join(folder, MANIFEST));
    if (by !== null) found.set(relative(workspace, join(folder, MANIFEST)), { by, text });
  }
  for (const folder of [...(isStateFolder(workspace) ? [workspace] : []), ...states])
    if (basename(folder) !== STATE) found.set(relative(workspace, join(folder, STORE_FILE)), { by: 'there', text: '' });
  for (const path of isWorkTree ? [] : packages.flatMap((folder) => AMONG_PACKAGES.map((name) => join(folder, name))))
    if (kindOf(path) !== null) found.set(relative(workspace, path), { by: 'there', text: '' });
  const tops = [...repositories.map((folder) => relative(workspace, folder)), ...(await gitTops(workspace, []))];
  // What no command can change was changed by a person.
  for (const top of tops.filter((path) => !fixed.includes(join(path, '.git', 'config'))))
    for (const [path, harm] of harmOf(workspace, top)) found.set(path, harm);
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

async function settleMisleading(
  workspace: string,
  { before, now }: { before: Misleading; now: Misleading },
  aside: Aside,
): Promise<string[]> {
  const made = [...now].filter(([path, { by }]) => before.get(path)?.by !== by);
  const settled: string[] = [];
  for (const [path, { text }] of made) {
    const { without, says } = PARTS[basename(path)] ?? {};
    const kept = (before.get(path)?.text ?? '') || (without?.(text) ?? '');
    const isText = text !== '' && kept !== '' && kindOf(join(workspace, path)) === 'file';
    const isSettled = await aside.attempt(() =>
      isText ? putInPlace(workspace, { path, text: kept }, aside) : takeMade(workspace, path, aside),
    );
    if (isSettled) settled.push(says === undefined ? `\`${path}\`` : says(path));
  }
  return settled;
}
