import { randomBytes } from 'node:crypto';
import { lstatSync, realpathSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogWriter } from '../../store/logs/line.js';
import { makeReadable } from '../../store/folders/remove.js';
import { makeFolders } from '../../store/folders/root.js';
import { asideFolder, asideName } from '../../store/records/aside-files.js';
import { errorCode } from '../../store/store-failure.js';
import { refusalOf } from '../refusal.js';
import type { Folder } from './open.js';

/** Names have at most 255 bytes, characters at most three: so much of one is kept before what is added. */
const KEPT_CHARACTERS = 60;

/** Whose workspace it is: where things are kept, and which log tells people. */
export interface AsideOwner {
  store: { folder: string | null };
  /** The root run's id. */
  run: string;
  log: Pick<LogWriter, 'write'>;
}

/** Takes things out of the way of those who would go by them, and deletes none: they may be a person's. */
export interface Aside {
  /**
   * Takes an entry of an open folder away, itself and never what a link leads to, and says in the log where it is kept.
   * Throws where it could not: then it is where it was.
   */
  take(folder: Folder, name: string): Promise<void>;
  /** Does something that may fail, and keeps the failure for the end: the rest is to be settled before. */
  attempt(act: () => Promise<boolean>): Promise<boolean>;
  /** Throws the first failure. */
  finish(): void;
}

/**
 * Keeps things in the state folder, which no tool reaches; under another name in their own folder where that takes
 * nothing: it is on another disk, or the disk is full.
 */
export function createAside({ store, run, log }: AsideOwner): Aside {
  const failures: unknown[] = [];

  /** Where it is now; null where it was gone. */
  async function move(folder: Folder, name: string): Promise<string | null> {
    const [path, from] = [join(folder.shown, name), folder.at(name)];
    const found = lstatSync(from, { throwIfNoEntry: false });
    if (found === undefined) return null;
    // What goes into another folder is written itself, where it is one.
    if (found.isDirectory()) await makeReadable(from).catch(() => false);
    const kept = await moveToState(from, path);
    if (kept !== null) return kept;
    const beside = `${name.slice(0, KEPT_CHARACTERS)}.removed-${randomBytes(4).toString('hex')}`;
    await rename(from, folder.at(beside));
    return join(realpathSync(folder.at('.')), beside);
  }

  async function moveToState(from: string, path: string): Promise<string | null> {
    if (store.folder === null) return null;
    try {
      const folder = asideFolder(store.folder, run);
      makeFolders(folder);
      const kept = join(folder, asideName(path));
      await rename(from, kept);
      return kept;
    } catch {
      return null; // another way is tried, which tells what goes wrong
    }
  }

  return {
    async take(folder, name) {
      const shown = `\`${join(folder.shown, name)}\` was made or changed while a command ran that may not`;
      try {
        const kept = await move(folder, name);
        if (kept !== null) log.write('note', `${shown}: it is kept as \`${kept}\`.\n`);
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return; // gone meanwhile
        const reason = error instanceof Error ? error.message : String(error);
        log.write('note', `${shown}, and could not be taken away: look at it. ${reason}\n`);
        const failure = refusalOf(error, join(folder.shown, name));
        failures.push(failure); // Also where who is above takes a refusal for a place that is not there.
        throw failure;
      }
    },
    async attempt(act) {
      try {
        return await act();
      } catch (error) {
        failures.push(error);
        return false;
      }
    },
    finish() {
      if (failures.length > 0) throw failures[0];
    },
  };
}
