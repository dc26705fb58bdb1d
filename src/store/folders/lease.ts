import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PRIVATE_FILE } from './root.js';
import { errorCode } from '../store-failure.js';
import { readTextNow } from '../read-regular.js';

/** What is held by one at a time, whatever processes there are. */
export interface Lease {
  /** Higher than that of every holder before. */
  number: number;
  /** The one before was not given back: its holder was lost while it worked. */
  wasLost: boolean;
  /** Throws `LeaseLost` where another has taken it over since. */
  require: () => void;
}

/** The holder did not go on for so long that another has taken its place. */
export class LeaseLost extends Error {}

export interface LeaseOptions {
  /** A holder that was killed delays others by this at most. */
  expiryMs?: number;
  /** Called each time the wait goes on; throws to end it. */
  onWait?: () => void;
}

export const LEASE_MS = 10_000;
const POLL_MS = 25;

/**
 * Does something while nobody else does anything under the lease of that folder. Each holder's number is a file, made
 * once: of two who would have the same one wins. It says until when it holds, is renewed while the work goes on, and is
 * given back at the end.
 */
export async function withLease<T>(
  folder: string,
  { expiryMs = LEASE_MS, onWait }: LeaseOptions,
  act: (lease: Lease) => Promise<T>,
): Promise<T> {
  mkdirSync(folder, { recursive: true });
  const { number, wasLost } = await acquire(folder, expiryMs, onWait);
  const require = (): void => {
    if (highestIn(folder) !== number) throw new LeaseLost(`Another took over after ${expiryMs / 1000} s.`);
  };
  const renewal = setInterval(() => {
    tryTo(() => {
      if (highestIn(folder) === number) write(folder, number, Date.now() + expiryMs);
    });
  }, expiryMs / 4);
  try {
    return await act({ number, wasLost, require });
  } finally {
    clearInterval(renewal);
    // Where another has taken over, this says nothing any more.
    tryTo(() => write(folder, number, 0));
  }
}

/**
 * A disk that takes nothing now ends no work that is under way, nor takes its result: what is not renewed or given back
 * is over when it expires.
 */
function tryTo(write: () => void): void {
  try {
    write();
  } catch {
    // the next renewal says it
  }
}

async function acquire(
  folder: string,
  expiryMs: number,
  onWait: (() => void) | undefined,
): Promise<{ number: number; wasLost: boolean }> {
  // A clock that was set back makes an end late. What is not renewed for the whole time is over by any clock.
  let seen = { last: 0, until: 0, at: 0 };
  for (;;) {
    const last = highestIn(folder);
    const until = last === 0 ? 0 : endOf(folder, last);
    if (last !== seen.last || until !== seen.until) seen = { last, until, at: performance.now() };
    const isOver = until <= Date.now() || (until < Infinity && performance.now() - seen.at >= expiryMs);
    if (isOver && take(folder, last + 1, Date.now() + expiryMs)) {
      for (const name of readdirSync(folder)) if (Number(name) < last) rmSync(join(folder, name), { force: true });
      return { number: last + 1, wasLost: until > 0 };
    }
    onWait?.();
    await sleep(POLL_MS);
  }
}

function highestIn(folder: string): number {
  return Math.max(0, ...readdirSync(folder).flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : [])));
}

/** When a lease ends; 0 where it was given back. */
function endOf(folder: string, number: number): number {
  try {
    return Number(readTextNow(join(folder, String(number)))) || 0;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return Infinity; // a later one has removed it: look again
    throw error;
  }
}

/** Makes the file of a number, whole; false where somebody was faster. */
function take(folder: string, number: number, until: number): boolean {
  const made = temporary(folder, until);
  try {
    linkSync(made, join(folder, String(number)));
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(made, { force: true });
  }
}

function write(folder: string, number: number, until: number): void {
  renameSync(temporary(folder, until), join(folder, String(number)));
}

function temporary(folder: string, until: number): string {
  const file = join(folder, `.${randomBytes(6).toString('hex')}`);
  writeFileSync(file, String(until), { mode: PRIVATE_FILE });
  return file;
}
