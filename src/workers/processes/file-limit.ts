import { readFileSync } from 'node:fs';
import { UnavailableError } from '../errors.js';

/** With fewer a host with its server, its logs and its connections comes to an end in the middle of work. */
const FEWEST_FILES = 256;

/**
 * Throws an UnavailableError where this process, and so what it starts, may open too few files at once. Nobody says so
 * outside Linux.
 */
export function requireFiles(): void {
  const most = mostFiles();
  if (most === null || most >= FEWEST_FILES) return;
  throw new UnavailableError(
    `Expected to be allowed at least ${String(FEWEST_FILES)} open files, got a limit of ${String(most)}.`,
    'Raise it: ulimit -n 1024',
  );
}

function mostFiles(): number | null {
  try {
    const [, most] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return most === undefined ? null : Number(most);
  } catch {
    return null;
  }
}
