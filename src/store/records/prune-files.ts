import { existsSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileName } from '../files.js';
import { removeFolder } from '../folders/remove.js';
import { asideFolder } from './aside-files.js';
import { removeNarration } from './narration-files.js';
import { recordFile, recordsBelow } from './run-files.js';
import { gitOf } from '../git/git.js';
import { snapshotFolder, snapshotsOfRun } from '../snapshots/snapshots.js';
import { treePlaces } from '../worktrees/places.js';
import { submittedFile } from './submitted-files.js';
import { errorCode, storeFailure } from '../store-failure.js';

/** What is removed of a store when runs closed long ago. */
export interface Pruning {
  /**
   * Removes what is left of a closed run, its own record at last, so that one that is left half removed is found again.
   * Values stay: others may name them.
   */
  removeRun(run: string): Promise<void>;
  /** Journals that nobody has written to since `before`, but those of these scopes, by names of the store's own. */
  listOldJournals(wanted: { before: Date; keep: Iterable<string> }): Promise<string[]>;
  removeJournals(names: string[]): Promise<void>;
  /**
   * Removes the files that neither the last snapshot has nor any that is kept, but what was written in the last hour:
   * it may be about to be named.
   */
  removeUnnamedFiles(): Promise<void>;
}

/** What is removed of a state folder. */
export function createPruning(stateDir: string): Pruning {
  return {
    removeRun: (run) => removeRun(stateDir, run),
    listOldJournals: (wanted) => oldJournals(stateDir, wanted),
    removeJournals: (names) => removeJournals(stateDir, names),
    removeUnnamedFiles: () => removeUnnamedFiles(stateDir),
  };
}

/**
 * Removes what is left of a closed run: its logs, what was told in place of its models, its snapshots' names, its work
 * trees, what was set aside, what was told of it, that it was submitted, the records of its nested runs, and at last
 * its own, so that one that is left half removed is found again. Values stay: others may name them.
 */
export async function removeRun(stateDir: string, run: string): Promise<void> {
  await rm(join(stateDir, 'logs', fileName(run)), { recursive: true, force: true });
  await rm(join(stateDir, 'recorded', `${fileName(run)}.json`), { force: true });
  await removeWork(stateDir, run);
  await rm(join(stateDir, 'submitted', submittedFile(run)), { force: true });
  await removeNarration(join(stateDir, 'narration'), run);
  const folder = join(stateDir, 'runs');
  for (const { file } of await recordsBelow(folder, run)) await rm(join(folder, file), { force: true });
  const own = recordFile(run);
  if (own !== null) await rm(join(folder, own), { force: true });
}

/** Removes what a run left where its workspace was: its snapshots' names, its work trees, and what was set aside. */
export async function removeWork(stateDir: string, run: string): Promise<void> {
  await rm(snapshotsOfRun(snapshotFolder(stateDir), run), { recursive: true, force: true });
  await removeFolder(treePlaces(stateDir, run).folder);
  await removeFolder(asideFolder(stateDir, run));
}

/** Journals that nobody has written to since `before`, but those of these scopes, as file names in `journal/`. */
async function oldJournals(
  stateDir: string,
  { before, keep }: { before: Date; keep: Iterable<string> },
): Promise<string[]> {
  const folder = join(stateDir, 'journal');
  const kept = new Set([...keep].map((scope) => `${fileName(scope)}.ndjson`));
  const names = (await namesIn(folder)).filter((name) => name.endsWith('.ndjson') && !kept.has(name));
  const old = await Promise.all(
    names.map(async (name) => ((await stat(join(folder, name))).mtime < before ? [name] : [])),
  );
  return old.flat();
}

/** Removes the files that no snapshot names, as `Pruning` says. */
export async function removeUnnamedFiles(stateDir: string): Promise<void> {
  const folder = snapshotFolder(stateDir);
  // the next time takes them
  if (existsSync(join(folder, 'HEAD'))) await gitOf(folder)(['prune', '--expire=1.hour.ago']).catch(() => undefined);
}

async function removeJournals(stateDir: string, names: string[]): Promise<void> {
  for (const name of names) await rm(join(stateDir, 'journal', name), { force: true });
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw storeFailure(error, 'read', folder);
  }
}
