import type { Permissions } from '../../plan/tools/permission.js';
import { realOf } from '../../store/folders/places.js';
import type { Store } from '../../store/store.js';
import type { AsideOwner } from '../workspace/set-aside.js';
import { stepFailure } from '../failures.js';
import { FileRefusal } from '../refusal.js';
import { keptPlaces } from '../workspace/kept-places.js';
import { projectsIn } from '../workspace/projects-in.js';
import { fixedIn } from '../tools/shell/fixed-in.js';
import { findSandbox, started } from '../tools/shell/sandbox.js';
import type { Kept } from '../tools/shell/kept-by-patterns.js';
import { NOTHING_KEPT, keptByPatterns } from '../tools/shell/kept-by-patterns.js';
import { guardWorkspace } from '../tools/shell/misleading.js';
import { workspaceMounts } from '../tools/shell/workspace-mounts.js';

/** A command, and what is to be called at its end, which gives what was made and put back. */
interface Held {
  file: string;
  args: string[];
  release: () => Promise<string[]>;
}

/** Where a program works, for whom, in which run, and what is protected there. */
interface HeldPlace extends AsideOwner {
  store: Pick<Store, 'folder' | 'readSubmitted'>;
  workspace: string;
  permissions: Permissions | undefined;
  signal: AbortSignal;
}

/**
 * A command by which a program that plays an agent finds what is protected in its workspace read-only, and all else of
 * the machine as it is, and so what is denied or asked about: it asks nobody. Where there is no sandbox, only what is
 * not there is kept from it. Throws `program-failed` where more is protected, denied or asked about than can be kept.
 */
export function held(file: string, args: string[], place: HeldPlace): Promise<Held> {
  return hold(file, args, place).catch((error: unknown) => {
    throw error instanceof FileRefusal ? stepFailure('program-failed', error.message) : error;
  });
}

async function hold(file: string, args: string[], place: HeldPlace): Promise<Held> {
  const workspace = realOf(place.workspace);
  const projects = await projectsIn(place.store, workspace);
  const sandbox = await findSandbox();
  const patterns = sandbox === null ? NOTHING_KEPT : await keptFrom({ ...place, workspace });
  const fixed = [
    ...(await fixedIn({ ...place, workspace, projects }, place.permissions?.protected ?? [])),
    ...patterns.fixed,
  ];
  const kept = keptPlaces(workspace, fixed);
  const release = await guardWorkspace(workspace, { fixed, kept, madeSince: patterns.madeSince }, place);
  if (sandbox === null) return { file, args, release };
  const { mounts } = workspaceMounts({
    workspace,
    kept,
    writable: patterns.all ? [] : undefined,
    states: [],
    sockets: [],
  });
  // The mounts are not root's to take away, of whom no namespace takes the right.
  const words = ['--cap-drop', 'CAP_SYS_ADMIN', '--dev-bind', '/', '/', ...mounts, '--', file, ...args];
  return { ...started(sandbox, words), release };
}

async function keptFrom({ workspace, permissions, signal }: HeldPlace): Promise<Kept> {
  if (permissions === undefined) return NOTHING_KEPT;
  return keptByPatterns({ workspace, permissions, allowed: false, signal });
}
