import { dirname, relative } from 'node:path';
import type { MadeFile, MadeFiles } from '../../store/records/made-files.js';
import { sha256 } from '../../store/hash.js';
import { readPlain } from '../../store/read-plain.js';
import { errorCode } from '../../store/store-failure.js';
import { inFolderOf, removeEntry } from '../workspace/open.js';
import { FileRefusal } from '../refusal.js';

/** A definition that was made is shorter: what is not is another file. */
const MOST_BYTES = 10 * 1024 * 1024;

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
    if (await removeUnchanged(made)) removed.push(made.file);
    await store.forgetMade(made.file);
  }
  return removed;
}

/**
 * Removes a file that is still the regular one that was made, byte for byte, where it was made: not in a folder that
 * has become a link to another. Says whether it did.
 */
async function removeUnchanged({ file, hash }: MadeFile): Promise<boolean> {
  const folder = dirname(file);
  const holder = dirname(folder);
  if (holder === folder) return false;
  try {
    return await inFolderOf(holder, relative(holder, file), {}, async (inner, name) => {
      const bytes = await readPlain(inner.at(name), MOST_BYTES);
      if (bytes === null || sha256(bytes) !== hash) return false;
      await removeEntry(inner, name);
      return true;
    });
  } catch (error) {
    if (error instanceof FileRefusal || errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
