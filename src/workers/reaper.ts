import { setTimeout as pause } from 'node:timers/promises';
import { listEnvironment, signalProcess, startOf } from './processes.js';

/** Set on every command that an activity spawns, to `runTag(…)`; inherited by all that the command spawns. */
export const RUN_TAG = 'PERDURE_RUN_TAG';

const ROUNDS = 10;

/** Which worker answers for a command, and for which run. */
export interface RunTag {
  store: string;
  worker: number;
  run: string;
}

export function runTag({ store, worker, run }: RunTag): string {
  return `${store}:${String(worker)}:${run}`;
}

/** The parts of a tag; null for anything else. */
export function parseRunTag(text: string): RunTag | null {
  const parts = /^([^:]+):(\d+):(.+)$/s.exec(text);
  return parts?.[1] === undefined || parts[3] === undefined ? null : { store: parts[1], worker: Number(parts[2]), run: parts[3] };
}

/**
 * Kills what the commands of dead workers of this store left running, so that a retried step never works beside its
 * own lost try (F30). Called before a worker polls. Returns the pids it killed. Where the system does not show
 * the environment of processes, nothing is found.
 */
export async function reapOrphans(storeId: string): Promise<number[]> {
  const killed = new Set<number>();
  // Again until none is left: an orphan may spawn while the others are being killed.
  for (let round = 0; round < ROUNDS; round++) {
    const orphans = await orphansOf(storeId);
    if (orphans.length === 0) break;
    for (const pid of orphans) {
      signalProcess(pid, 'SIGKILL');
      killed.add(pid);
    }
    await pause(20);
  }
  return [...killed];
}

async function orphansOf(storeId: string): Promise<number[]> {
  const tagged = await listEnvironment(RUN_TAG);
  const verdicts = await Promise.all(tagged.map(async ({ pid, value }) => ((await isOrphan(pid, parseRunTag(value), storeId)) ? [pid] : [])));
  return verdicts.flat();
}

async function isOrphan(pid: number, tag: RunTag | null, storeId: string): Promise<boolean> {
  if (tag === null || tag.store !== storeId || pid === process.pid) return false;
  const [worker, started] = await Promise.all([startOf(tag.worker), startOf(pid)]);
  // Gone between the two looks: a zombie is nobody's trouble.
  if (started === null) return false;
  // A process that is younger than what it should have spawned only reuses the dead worker's pid. We may do so too.
  return worker === null || tag.worker === process.pid || Number(worker) > Number(started);
}
