import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Value } from '../../plan/values/value.js';
import { writeAtomically } from '../files.js';
import type { TreePlaces } from './places.js';
import { readIfThere } from '../read-regular.js';

/** What a step that commits came to. */
export interface DoneWork {
  /** The commit that its tree began at. */
  start: string;
  /** Null where nothing had changed. */
  commit: string | null;
  output: Value | null;
}

/** Keeps what a step came to, by the key of all that it was asked with, for reruns. */
export async function keepDone(places: TreePlaces, key: string, done: DoneWork): Promise<void> {
  await mkdir(join(places.folder, 'done'), { recursive: true, mode: 0o700 });
  await writeAtomically(fileOf(places, key), JSON.stringify(done));
}

/** What was kept for a key; null where nothing was. */
export async function doneBy(places: TreePlaces, key: string): Promise<DoneWork | null> {
  const text = await readIfThere(fileOf(places, key));
  return text === null ? null : (JSON.parse(text) as DoneWork); // `keepDone` wrote it whole
}

function fileOf({ folder }: TreePlaces, key: string): string {
  return join(folder, 'done', `${key}.json`);
}
