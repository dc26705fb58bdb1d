import { lstat, readFile, rm } from 'node:fs/promises';
import type { MadeFile, MadeFiles } from '../store/made-files.js';
import { sha256 } from '../store/hash.js';

/** What is known of a run that used a made file: `unknown` where nothing of that id was ever started. */
export type UseState = 'open' | 'closed' | 'unknown';

/**
 * Removes the files that the designer made and that are no longer needed: a run that used them has closed, and no open
 * run uses them. A file that was changed since it was made is a person's, and stays. Gives the files that are gone.
 */
export async function removeMade(store: MadeFiles, stateOf: (run: string) => Promise<UseState>): Promise<string[]> {
  const removed: string[] = [];
  for (const { made, runs } of await store.listMade()) {
    const states = await Promise.all(runs.map(async (run) => ({ run, state: await stateOf(run) })));
    for (const { run, state } of states) if (state === 'unknown') await store.forgetUse(made.file, run);
    if (states.some(({ state }) => state === 'open') || !states.some(({ state }) => state === 'closed')) continue;
    if (await isUnchanged(made)) {
      await rm(made.file, { force: true });
      removed.push(made.file);
    }
    await store.forgetMade(made.file);
  }
  return removed;
}

/** Still the regular file that was made, byte for byte. */
async function isUnchanged({ file, hash }: MadeFile): Promise<boolean> {
  const stat = await lstat(file).catch(() => null);
  return stat?.isFile() === true && sha256(await readFile(file)) === hash;
}
