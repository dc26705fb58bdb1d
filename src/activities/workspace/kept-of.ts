import type { Store } from '../../store/store.js';

/**
 * Of the workspace, from its root, what agents of a run must not write beside what their permissions protect: what the
 * run was started from, which `rerun` takes as it is by then, and what the project's settings start outside of every
 * sandbox. Nothing of a run that was submitted elsewhere.
 */
export async function keptOf(store: Pick<Store, 'readSubmitted'>, run: string): Promise<string[]> {
  const [submitted] = await store.readSubmitted([run]);
  return submitted?.kept ?? [];
}
