import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Interval } from '../plan/clock.js';
import { overlap } from '../plan/clock.js';
import { PRIVATE_FILE, PRIVATE_FOLDER } from './files.js';

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
  countAlive(intervals: Interval[]): number;
}

/** The alive log in a folder, which is made when it is first written to. `now` in epoch milliseconds. */
export function createAliveLog(folder: string, now: () => number = Date.now): AliveLog {
  return {
    keepAlive() {
      mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
      prune(folder, now());
      let file = begin(folder, now());
      let last = now();
      const tick = (): void => {
        const time = now();
        if (time - last > SILENCE_MS) file = begin(folder, time);
        else touch(file, time);
        last = time;
      };
      const timer = setInterval(tick, TICK_MS);
      timer.unref();
      return () => {
        clearInterval(timer);
        tick();
      };
    },
    countAlive: (intervals) => overlap(intervals, stretches(folder)),
  };
}

function begin(folder: string, time: number): string {
  const file = join(folder, `${time}-${process.pid}`);
  closeSync(openSync(file, 'a', PRIVATE_FILE));
  touch(file, time);
  return file;
}

/** Who looks after its worker must not die of a full disk or a folder that was removed. */
function touch(file: string, time: number): void {
  try {
    utimesSync(file, time / 1000, time / 1000);
  } catch {
    // Then this time is not counted.
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
