import { realpathSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { isBelow, realOf } from '../../../store/folders/places.js';
import { withoutHarm } from '../../workspace/git-settings.js';
import { isWorkTree as isInWorkTree } from '../../workspace/own-code.js';
import { MANIFEST, SETTINGS, withoutPerdure, withoutStarting } from '../../workspace/perdure-names.js';
import type { Aside, AsideOwner } from '../../workspace/set-aside.js';
import { createAside } from '../../workspace/set-aside.js';
import { FileRefusal } from '../../refusal.js';
import { guardMissing, openRights, putInPlace, takeMade, takeUnnamed } from './guard.js';
import type { Found, Misleading } from './misleading-files.js';
import { misleadingIn } from './misleading-files.js';

/** What was there when the first of the commands that run now began: another one may have made something since. */
const running = new Map<string, { commands: number; before: Promise<Misleading> }>();

/** A file of which only a part misleads: the text without it, and how it is told of. */
interface Part {
  without: (text: string) => string;
  says: (path: string) => string;
}

const GIT_PART: Part = { without: withoutHarm, says: (path) => `what \`${path}\` has git do` };
/** By their names, which agents choose. */
const PARTS = new Map<string, Part>([
  [MANIFEST, { without: withoutPerdure, says: (path) => `what \`${path}\` says is \`perdure\`` }],
  [SETTINGS, { without: withoutStarting, says: (path) => `what \`${path}\` has npm start` }],
  ['config', GIT_PART],
  ['config.worktree', GIT_PART],
]);

/** So many folders lie in each other near the root, each hidden by the one above. */
const MOST_ROUNDS = 5;

/**
 * As `guardMissing`, and for all that a command makes near the root by which something else would start as `perdure` or
 * before it (no package in a work tree: nobody starts Perdure there), or a folder would be hidden from agents as one of
 * state (but `.perdure`, which is hidden by its name, and may be a person's new project), or by which git, which enters
 * repositories inside by itself, would start a program there. Gives in words what was put back; called once more it
 * does nothing. Throws at its end what could not be taken away. `fixed` are the paths that no command may write, `kept`
 * the places by which one keeps them; `madeSince` finds more that no command may make.
 */
export async function guardWorkspace(
  workspace: string,
  { fixed, kept, madeSince }: { fixed: string[]; kept: string[]; madeSince?: () => Promise<string[]> },
  owner: AsideOwner,
): Promise<() => Promise<string[]>> {
  const isWorkTree = isInWorkTree(workspace, owner.store.folder);
  const aside = createAside(owner);
  const settleMissing = guardMissing(workspace, kept, aside);
  const shared = running.get(workspace) ?? { commands: 0, before: misleadingIn(workspace, { isWorkTree }) };
  running.set(workspace, shared);
  shared.commands += 1;
  const leave = (): void => {
    shared.commands -= 1;
    if (shared.commands === 0) running.delete(workspace);
  };
  const before = await shared.before.catch((error: unknown) => {
    leave();
    throw error;
  });
  const unseen = [...before].find(([, { name }]) => name !== undefined);
  if (unseen !== undefined) {
    leave();
    throw new FileRefusal(
      `\`${unseen[0]}\` has a name that is no UTF-8, and holds a repository, packages or state: nobody could look ` +
        'after it while a command runs. Give it another name.',
    );
  }
  const settle = async (): Promise<string[]> => {
    try {
      const made: string[] = [];
      await openRights(workspace);
      // Where one of these fails, the others are settled nevertheless.
      await aside.attempt(async () => {
        made.push(...(await settleMissing()).map((path) => `\`${path}\``));
        return true;
      });
      await aside.attempt(async () => {
        // Each time a folder that was taken for state is looked into.
        for (let round = 0; round < MOST_ROUNDS; round += 1) {
          const now = await misleadingIn(workspace, { isWorkTree, opening: true, fixed });
          const more = await settleMisleading(workspace, { before, now }, aside);
          if (more.length === 0) break;
          made.push(...more);
        }
        return true;
      });
      await aside.attempt(async () => {
        for (const path of (await madeSince?.()) ?? [])
          if (await aside.attempt(() => takeMade(workspace, path, aside))) made.push(`\`${path}\``);
        return true;
      });
      aside.finish();
      return made;
    } finally {
      leave();
    }
  };
  let settled: Promise<string[]> | null = null;
  return () => (settled ??= settle());
}

/** Settles after a failure, or a cancellation, which is thrown on: what cannot be settled is told in the log. */
export async function settleAfter(
  error: unknown,
  settle: () => Promise<string[]>,
  log: AsideOwner['log'],
): Promise<never> {
  await settle().catch((other: unknown) => {
    const reason = other instanceof Error ? other.message : String(other);
    log.write('note', `What was made while the command ran could not all be looked at: ${reason}\n`);
  });
  throw error;
}

async function settleMisleading(
  workspace: string,
  { before, now }: { before: Misleading; now: Misleading },
  aside: Aside,
): Promise<string[]> {
  const settled: string[] = [];
  for (const [path, found] of now) {
    const was = before.get(path);
    if (was?.by === found.by && was.link === found.link) continue;
    await aside.attempt(async () => {
      const isSettled = await settleFile(workspace, { path, found, was }, aside);
      if (isSettled) settled.push(PARTS.get(basename(path))?.says(path) ?? `\`${path}\``);
      return isSettled;
    });
  }
  return settled;
}

/** Puts back what was there, as far as that is known; says whether it could. */
async function settleFile(
  workspace: string,
  { path, found, was }: { path: string; found: Found; was: Found | undefined },
  aside: Aside,
): Promise<boolean> {
  if (found.name !== undefined) return takeUnnamed(workspace, { path, name: found.name }, aside);
  const to = was?.link ?? null;
  if (to !== found.link && to !== null) return takeMade(workspace, path, aside, to);
  // Of a link that is the same what it leads to has changed.
  const place = to === null ? path : placeOf(workspace, path);
  if (place === null) return false;
  const text = was?.text || restOf(path, found, found.link === to);
  return text === ''
    ? takeMade(workspace, place, aside)
    : putInPlace(workspace, { path: place, text, mode: was?.mode }, aside);
}

/** What is left of a file without what misleads; empty where nothing is. */
function restOf(path: string, found: Found, isSameFile: boolean): string {
  const part = found.text !== '' && isSameFile ? PARTS.get(basename(path)) : undefined;
  const rest = part?.without(found.text) ?? '';
  // One of which nothing was to be left out misleads as a whole, such as a hook of that name.
  return rest === found.text ? '' : rest;
}

/** Where a path of a workspace leads, from its root; null for what is none of it. */
function placeOf(workspace: string, path: string): string | null {
  const root = realOf(workspace);
  try {
    const real = realpathSync(join(root, path));
    return isBelow(real, root) ? relative(root, real) : null;
  } catch {
    return null;
  }
}
