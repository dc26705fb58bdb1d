import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Interval } from '../../plan/budget/run-clock.js';
import { overlap } from '../../plan/budget/run-clock.js';
import { makeFolders, PRIVATE_FILE } from '../folders/root.js';
import { readTextNow } from '../read-regular.js';

/** How often a process says that it is there; what it was there for since then is not counted after a crash. */
const TICK_MS = 2_000;
/** A longer silence is a machine that slept or a process that stood still. */
const SILENCE_MS = 10_000;
/** No budget reaches further back. */
const KEPT_MS = 100 * 24 * 3_600_000;

/**
 * When workers of this store were there: one file for each stretch, named by its start, and its end is what is in it: a
 * copy may have lost the file's times. A run's clock counts no other time (`max_runtime_mins`), so that a closed laptop
 * costs nothing.
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
    writeFileSync(file, String(time), { mode: PRIVATE_FILE });
    return file;
  } catch {
    removeQuietly(file); // else a full disk gets an empty one at each tick
    return null;
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // There is no folder to remove it from.
  }
}

/**
 * Likewise; false where it cannot be said: then this time is not counted. A time takes the place of one as long: nobody
 * reads a part.
 */
function touch(file: string, time: number): boolean {
  try {
    writeFileSync(file, String(time), { flag: 'r+' });
    return true;
  } catch {
    return false;
  }
}

/** Whoever asks is there as well, up to the next tick of its own. */
function stretches(folder: string): Interval[] {
  return list(folder).flatMap((name) => {
    const stretch = read(folder, name);
    return stretch === null ? [] : [[stretch[0], stretch[1] + TICK_MS] satisfies Interval];
  });
}

/** Null of other files, and of what was removed meanwhile. What a power cut has emptied ends where it began. */
function read(folder: string, name: string): Interval | null {
  const start = Number(name.split('-', 1)[0]);
  if (!Number.isFinite(start)) return null;
  try {
    return [start, Number(readTextNow(join(folder, name))) || start];
  } catch {
    return null;
  }
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
    const [, end] = read(folder, name) ?? [time, time];
    if (time - end > KEPT_MS) rmSync(join(folder, name), { force: true });
  }
}
