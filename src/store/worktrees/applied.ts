import { join } from 'node:path';
import { writeAtomically } from '../files.js';
import type { TreePlaces } from './places.js';
import { readIfThere } from '../read-regular.js';

/** Notes that the project has what a run has committed, up to a commit of it. */
export async function noteApplied(places: TreePlaces, commit: string): Promise<void> {
  await writeAtomically(join(places.folder, 'applied'), `${commit}\n`);
}

/** The commit of a run up to which the project has its work; null where it has none of it, as far as is known. */
export async function appliedUntil({ folder }: TreePlaces): Promise<string | null> {
  const text = (await readIfThere(join(folder, 'applied'))) ?? '';
  return /^[0-9a-f]{40}\n$/.test(text) ? text.trim() : null;
}
