import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Json } from '../../../plan/values/json.js';
import { canonicalJson } from '../../../plan/values/json.js';
import { errorCode, StoreFailure, storeFailure } from '../../store-failure.js';
import type { Store } from '../../store.js';
import type { Database } from '../database.js';
import type { Lines } from '../records.js';

/** A state folder that is copied to a database. */
export interface Copying {
  stateDir: string;
  source: Store;
  target: Store;
  database: Database;
  /** Counts what was copied. */
  note: (kind: string, number?: number) => void;
  /** Says what was not, and why. */
  leave: (what: string) => void;
}

/** What the folder has of one thing; null, and it is left, where that cannot be read: all else is copied. */
export async function readOrLeave<T>(
  { leave }: Pick<Copying, 'leave'>,
  what: string,
  read: () => T | Promise<T>,
): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof StoreFailure)) throw error;
    leave(`${what}: ${error.message}`);
    return null;
  }
}

/** Names of files that have this end, without it; of folders where it is empty. */
export async function namesIn(copying: Pick<Copying, 'leave'>, folder: string, end: string): Promise<string[]> {
  const names = await readOrLeave(copying, `what is in \`${folder}\``, () => readNames(folder, end));
  return names ?? [];
}

/** With null the names of all that is there. */
async function readNames(folder: string, end: string | null): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const wanted = entries.filter((entry) => (end === '' ? entry.isDirectory() : entry.name.endsWith(end ?? '')));
    return wanted.map(({ name }) => name.slice(0, name.length - (end ?? '').length)).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw storeFailure(error, 'read', folder);
  }
}

/** The hashes by which files are named, in folders of their first letters. */
export async function hashesIn(copying: Pick<Copying, 'leave'>, folder: string): Promise<string[]> {
  const hashes: string[] = [];
  for (const part of await namesIn(copying, folder, '')) {
    const names = await readOrLeave(copying, `what is in \`${join(folder, part)}\``, () =>
      readNames(join(folder, part), null),
    );
    hashes.push(...(names ?? []).filter((name) => /^[0-9a-f]{64}$/.test(name)).map((hex) => `sha256:${hex}`));
  }
  return hashes;
}

/** What `fileName` made a name of; null where that was a hash, or where others made it. */
export function textOfName(name: string): string | null {
  try {
    return name.startsWith('+') ? null : decodeURIComponent(name);
  } catch {
    return null;
  }
}

/** Appends the lines that are not there yet; those that are stay where they are. Gives how many it appended. */
export async function appendMissing(there: Lines, name: string, lines: Json[], known: Json[]): Promise<number> {
  const left = new Map<string, number>();
  for (const line of known.map(canonicalJson)) left.set(line, (left.get(line) ?? 0) + 1);
  const missing = lines.filter((line) => {
    const text = canonicalJson(line);
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count <= 0;
  });
  if (missing.length > 0) await there.appendAll(name, missing);
  return missing.length;
}
