import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Hash } from '../../plan/values/value.js';
import { fileName, writeAtomically } from '../files.js';
import { locate, placeOf as placeFrom } from '../folders/places.js';
import { errorCode, storeFailure } from '../store-failure.js';
import { readText } from '../read-regular.js';

/** A file of the project that Perdure wrote for one definition, and may remove when it is no longer needed. */
export interface MadeFile {
  /** Absolute. */
  file: string;
  /** SHA-256 of its bytes as they were written: a file that a person has changed since is that person's. */
  hash: Hash;
  /** ISO 8601, UTC. */
  made_at: string;
}

export interface MadeFiles {
  /** Remembers that this file was made; an earlier record of the same file and its uses are forgotten. */
  writeMade(made: MadeFile): Promise<void>;
  /** All that were made and not removed yet, each with the runs whose Plans were compiled from it. */
  listMade(): Promise<{ made: MadeFile; runs: string[] }[]>;
  /** Remembers that a run's Plan was compiled from a made file; nothing for any other file. */
  noteUse(file: string, run: string): Promise<void>;
  forgetUse(file: string, run: string): Promise<void>;
  forgetMade(file: string): Promise<void>;
}

const RECORD = 'made.json';
const USE = '.use';

/** What is kept of made files: `<folder>/<file>/made.json`, and beside it `<run>.use` for each run that uses it. */
export function createMadeFiles(folder: string): MadeFiles {
  const store = { folder: dirname(folder) };
  // A record names the file by where it is from the store: both move together.
  const placeOf = (file: string): string => join(folder, fileName(placeFrom(store, file)));
  const useOf = (file: string, run: string): string => join(placeOf(file), `${fileName(run)}${USE}`);
  return {
    async writeMade(made) {
      await rm(placeOf(made.file), { recursive: true, force: true });
      await writeAtomically(
        join(placeOf(made.file), RECORD),
        JSON.stringify({ ...made, file: placeFrom(store, made.file) }),
      );
    },
    async listMade() {
      const listed = await Promise.all((await namesIn(folder)).map((name) => readMade(join(folder, name))));
      return listed.flatMap((one) =>
        one === null ? [] : [{ ...one, made: { ...one.made, file: locate(store, one.made.file) } }],
      );
    },
    async noteUse(file, run) {
      if ((await readMade(placeOf(file))) === null) return;
      const path = useOf(file, run);
      await writeAtomically(path, JSON.stringify(run));
    },
    forgetUse: (file, run) => rm(useOf(file, run), { force: true }),
    forgetMade: (file) => rm(placeOf(file), { recursive: true, force: true }),
  };
}

async function readMade(place: string): Promise<{ made: MadeFile; runs: string[] } | null> {
  try {
    // Written whole by `writeMade`, or not at all.
    const made = JSON.parse(await readText(join(place, RECORD))) as MadeFile;
    const uses = (await namesIn(place)).filter((name) => name.endsWith(USE));
    // By `noteUse`.
    const runs = await Promise.all(uses.map(async (name) => JSON.parse(await readText(join(place, name))) as string));
    return { made, runs };
  } catch (error) {
    // Another process may forget it in this moment.
    if (errorCode(error) === 'ENOENT') return null;
    throw storeFailure(error, 'read', place);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  // Nearly always nothing was made, and every run asks when it closes.
  if (!existsSync(folder)) return [];
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw storeFailure(error, 'read', folder);
  }
}
