import { realOf } from '../../store/folders/places.js';
import type { Store } from '../../store/store.js';
import type { AsideOwner } from '../workspace/set-aside.js';
import { projectsIn } from '../workspace/projects-in.js';
import { fixedIn } from '../tools/shell/fixed-in.js';
import { findSandbox, started } from '../tools/shell/sandbox.js';
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
  protected: string[];
}

/**
 * A command by which a program that plays an agent finds what is protected in its workspace read-only, and all else of
 * the machine as it is. Where there is no sandbox, only what is not there is kept from it.
 */
export async function held(file: string, args: string[], place: HeldPlace): Promise<Held> {
  const workspace = realOf(place.workspace);
  const projects = await projectsIn(place.store, workspace);
  const fixed = await fixedIn({ ...place, workspace, projects }, place.protected);
  const sandbox = await findSandbox();
  const release = await guardWorkspace(workspace, fixed, place);
  if (sandbox === null) return { file, args, release };
  const mounts = workspaceMounts({ workspace, fixed, states: [], sockets: [] });
  // The mounts are not root's to take away, of whom no namespace takes the right.
  const words = ['--cap-drop', 'CAP_SYS_ADMIN', '--dev-bind', '/', '/', ...mounts, '--', file, ...args];
  return { ...started(sandbox, words), release };
}
