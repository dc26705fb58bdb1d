import { closeSync, openSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Interval } from '../../plan/budget/run-clock.js';
import { overlap } from '../../plan/budget/run-clock.js';
import { makeFolders, PRIVATE_FILE } from '../folders/root.js';

/** How often a process says that it is there; what it was there for since then is not counted after a crash. */
const TICK_MS = 2_000;
/** A longer silence is a machine that slept or a process that stood still. */
const SILENCE_MS = 10_000;
/** No budget reaches further back. */
const KEPT_MS = 100 * 24 * 3_600_000;

/**
 * When workers of this store were there: one empty file for each stretch, named by its start and touched until its end.
 * A run's clock counts no other time (`max_runtime_mins`), so that a closed laptop costs nothing.
 */
export interface AliveLog {
  /** Says from now on that this process is there; the result ends that. */
  keepAlive(): () => void;
  /** How many milliseconds of these intervals a worker was there. */
  countAlive(intervals: Interval[]): Promise<number>;
}

/** The alive log in a folder, which is made when it is first written to. `now` in epoch milliseconds. */
export function createAliveLog(folder: string, now: () => number = Date.now): AliveLog {
  return {
    keepAlive() {
      prune(folder, now());
      let file = begin(folder, now());
      let last = now();
      const tick = (): void => {
        const time = now();
        // Where the clock was set back, the stretch so far would end before it began.
        const isOne = time >= last && time - last <= SILENCE_MS;
        if (file === null || !isOne || !touch(file, time)) file = begin(folder, time);
        last = time;
      };
      const timer = setInterval(tick, TICK_MS);
      timer.unref();
      return () => {
        clearInterval(timer);
        tick();
      };
    },
    countAlive: async (intervals) => overlap(intervals, stretches(folder)),
  };
}

/**
 * Begins a stretch. Who looks after its worker must not die of a full disk or a folder that was removed: null where
 * there is no room.
 */
function begin(folder: string, time: number): string | null {
  const file = join(folder, `${time}-${process.pid}`);
  try {
    makeFolders(folder);
    closeSync(openSync(file, 'a', PRIVATE_FILE));
    touch(file, time);
    return file;
  } catch {
    return null;
  }
}

/** Likewise; false where it cannot be said: then this time is not counted. */
function touch(file: string, time: number): boolean {
  try {
    utimesSync(file, time / 1000, time / 1000);
    return true;
  } catch {
    return false;
  }
}

/** Whoever asks is there as well, up to the next tick of its own. */
function stretches(folder: string): Interval[] {
  return list(folder).flatMap((name): Interval[] => {
    const start = Number(name.split('-', 1)[0]);
    const { mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
    return mtimeMs === undefined || !Number.isFinite(start) ? [] : [[start, mtimeMs + TICK_MS]];
  });
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // nobody was ever there
  }
}

function prune(folder: string, time: number): void {
  for (const name of list(folder)) {
    const { mtimeMs = time } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
    if (time - mtimeMs > KEPT_MS) rmSync(join(folder, name), { force: true });
  }
}
