import { lstatSync, readdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Hash } from '../../plan/values/value.js';
import type { WorkTreeSpec } from '../../plan/worktree.js';
import { CARRY_MB } from '../../plan/worktree.js';
import { PRIVATE_FILE } from '../folders/root.js';
import { packPaths, unpackInto } from '../git/archive.js';
import { carriedFolder, emptyCarried } from './carry.js';
import type { Values } from './kept-values.js';
import { PART_BYTES, getPart, putPart } from './kept-values.js';
import type { TreePlaces } from './places.js';

const MB = 1024 * 1024;
/** Files are packed fast rather than small. */
const LEVEL = 1;

/**
 * Why the folders of a project that git ignores are too large to go from machine to machine with a run; null where they
 * are not.
 */
export function carryFault(
  project: string,
  { carry, carry_mb = CARRY_MB }: Pick<WorkTreeSpec, 'carry' | 'carry_mb'>,
): string | null {
  const sizes = carry.map((path) => ({ path, bytes: sizeOf(join(project, path)) }));
  const bytes = sizes.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes <= carry_mb * MB) return null;
  const [largest] = sizes.sort((a, b) => b.bytes - a.bytes);
  return (
    `The folders under \`carry\` go to the store with the run, and have ${megabytes(bytes)}, ` +
    `\`${largest?.path ?? ''}\` alone ${megabytes(largest?.bytes ?? 0)}: expected at most ${String(carry_mb)} MB.`
  );
}

/** The folders that go along with a run are too large. */
export class CarryTooLarge extends Error {}

/** What helps then. */
export const CARRY_HINT =
  'Name less under `carry`, or write a larger `carry_mb` beside it: each worker that takes the run fetches so much.';

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / MB).toLocaleString('en-US')} MB`;
}

function sizeOf(folder: string): number {
  return entriesIn(folder).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Folders, files and links below a folder, in the order of their names: a folder comes before what is in it. */
function entriesIn(folder: string, below = ''): { path: string; bytes: number }[] {
  const at = join(folder, below);
  if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(at)
    .sort()
    .flatMap((name) => {
      const path = join(below, name);
      const found = lstatSync(join(folder, path), { throwIfNoEntry: false });
      if (found?.isDirectory() === true) return [{ path, bytes: 0 }, ...entriesIn(folder, path)];
      if (found?.isFile() === true) return [{ path, bytes: found.size }];
      return found?.isSymbolicLink() === true ? [{ path, bytes: 0 }] : [];
    });
}

/**
 * Keeps the folders that a run has beside git as they were taken from the project; gives the values that they were cut
 * into. The same files make the same values, so that runs of one project have them once.
 */
export async function keepCarried(places: TreePlaces, values: Values): Promise<Hash[]> {
  const folder = carriedFolder(places);
  const paths = entriesIn(folder).map(({ path }) => path);
  if (paths.length === 0) return [];
  return withArchive(places, async (archive) => {
    await packPaths(folder, paths, archive);
    const file = await open(archive);
    try {
      const parts: Hash[] = [];
      for (const buffer = Buffer.alloc(PART_BYTES); ;) {
        const { bytesRead } = await file.read(buffer, 0, PART_BYTES);
        if (bytesRead === 0) return parts;
        parts.push(await putPart(await promisify(gzip)(buffer.subarray(0, bytesRead), { level: LEVEL }), values));
      }
    } finally {
      await file.close();
    }
  });
}

/** Puts what was kept in the place of whatever stands there. */
export async function restoreCarried(places: TreePlaces, parts: Hash[], values: Values): Promise<void> {
  await emptyCarried(places);
  if (parts.length === 0) return;
  await withArchive(places, async (archive) => {
    const file = await open(archive, 'w', PRIVATE_FILE);
    try {
      for (const part of parts) await file.write(await promisify(gunzip)(await getPart(part, values)));
    } finally {
      await file.close();
    }
    await unpackInto(carriedFolder(places), archive);
  });
}

async function withArchive<T>({ folder }: TreePlaces, use: (archive: string) => Promise<T>): Promise<T> {
  const archive = join(folder, 'carried.tar');
  await rm(archive, { force: true });
  try {
    return await use(archive);
  } finally {
    await rm(archive, { force: true });
  }
}
