import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as yieldToOthers, setTimeout as pause } from 'node:timers/promises';

/** Set on every command that a worker starts, and inherited by all that the command starts. */
export const RUN_TAG = 'PERDURE_RUN_TAG';

/** Files that are read before others get their turn: this runs beside activities, and each takes some microseconds. */
const SLICE = 32;
const ROUNDS = 10;
const ROUND_MS = 20;

/** Which worker process answers for a command, and for which run. */
export interface RunTag {
  store: string;
  /** The worker's pid. */
  worker: number;
  /** Counts the commands of that worker. */
  command: number;
  run: string;
}

export interface TaggedProcess {
  pid: number;
  tag: RunTag;
}

export function runTag({ store, worker, command, run }: RunTag): string {
  return `${store}:${worker}:${command}:${run}`;
}

/** The parts of a tag; null for anything else. */
export function parseRunTag(text: string): RunTag | null {
  const [, store, worker, command, run] = /^([^:]+):(\d+):(\d+):(.+)$/s.exec(text) ?? [];
  if (store === undefined || run === undefined) return null;
  return { store, worker: Number(worker), command: Number(command), run };
}

/**
 * Kills the tagged processes that `isLeft` names, again and again until none is left, since one may start others while
 * they are being killed. Returns their pids. Nothing is found where the system has no `/proc`.
 */
export async function killTagged(isLeft: (found: TaggedProcess) => boolean | Promise<boolean>): Promise<number[]> {
  const killed = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    let count = 0;
    for (const found of await listTagged()) {
      if (!(await isLeft(found))) continue;
      count += 1;
      killed.add(found.pid);
      kill(found.pid);
    }
    if (count === 0) break;
    await pause(ROUND_MS);
  }
  return [...killed];
}

/** All processes whose tag we may read. A zombie has none any more. */
export async function listTagged(): Promise<TaggedProcess[]> {
  if (process.platform !== 'linux') return [];
  const found: TaggedProcess[] = [];
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  for (const [index, pid] of pids.entries()) {
    if (index % SLICE === SLICE - 1) await yieldToOthers();
    const tag = parseRunTag(tagOf(pid));
    if (tag !== null) found.push({ pid, tag });
  }
  return found;
}

function tagOf(pid: number): string {
  const prefix = `${RUN_TAG}=`;
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
    return environment.includes(prefix)
      ? (environment.split('\0').find((entry) => entry.startsWith(prefix)) ?? '').slice(prefix.length)
      : '';
  } catch {
    return ''; // It is gone, or another user's.
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already, which is what was wanted.
  }
}
