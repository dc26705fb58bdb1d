import { trustedBelow } from '../../store/records/trusted-projects.js';
import type { Store } from '../../store/store.js';

/**
 * The projects in a workspace that a person trusts, as paths from its root. What is protected at its root is so at
 * theirs: an agent of the outer project must not write what the inner one goes by. Throws `StoreFailure`.
 */
export async function projectsIn({ folder }: Pick<Store, 'folder'>, workspace: string): Promise<string[]> {
  return folder === null ? [] : trustedBelow(folder, workspace);
}
