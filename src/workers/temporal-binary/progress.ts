import type { Env } from '../../store/cache-folder.js';

/** The command line whose server we get: later tags cannot be installed as a Go module. */
export const TEMPORAL_CLI_VERSION = '1.5.1';

/** Takes one line of progress, for people. */
export type Progress = (line: string) => void;

/** What a way of getting the Temporal program works with. */
export interface Provision {
  /** Folder of our cache; it exists, and we hold its lock. */
  folder: string;
  env: Env;
  onProgress: Progress;
  signal: AbortSignal | undefined;
}

/** Puts the program at `join(folder, 'temporal')`. Throws when it cannot, saying why. */
export type Way = (provision: Provision) => Promise<void>;

/** Time since `began`, for people: `3s`, `1m05s`. */
export function elapsed(began: number): string {
  const seconds = Math.floor((Date.now() - began) / 1000);
  return seconds < 60
    ? `${String(seconds)}s`
    : `${String(Math.floor(seconds / 60))}m${String(seconds % 60).padStart(2, '0')}s`;
}
