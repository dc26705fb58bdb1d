import type { TaggedProcess } from '../../activities/processes/tagged-processes.js';
import { killTagged } from '../../activities/processes/tagged-processes.js';
import { startOf } from '../processes/processes.js';

/**
 * Kills what the commands of dead workers of this store left running, so that a retried step never works beside its
 * own lost try. Called before a worker polls: here are found those whose watchdog was killed as well. Returns
 * the pids it killed. Where the system does not show the environment of processes, nothing is found.
 */
export async function reapOrphans(storeId: string): Promise<number[]> {
  return killTagged((found) => isOrphan(found, storeId));
}

async function isOrphan({ pid, tag }: TaggedProcess, storeId: string): Promise<boolean> {
  if (tag.store !== storeId || pid === process.pid) return false;
  const [worker, started] = await Promise.all([startOf(tag.worker), startOf(pid)]);
  // Gone between the two looks: a zombie is nobody's trouble.
  if (started === null) return false;
  // A process that is younger than what it should have spawned only reuses the dead worker's pid. We may do so too.
  return worker === null || tag.worker === process.pid || Number(worker) > Number(started);
}
