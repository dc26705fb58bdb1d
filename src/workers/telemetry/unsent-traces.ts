import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileName, writeAtomically } from '../../store/files.js';
import { errorCode } from '../../store/store-failure.js';
import { readText } from '../../store/read-regular.js';

/** Runs whose traces are to be sent, in a folder: whoever starts there the next time finds them. */
export interface UnsentTraces {
  add(run: string): Promise<void>;
  list(): Promise<string[]>;
  remove(run: string): Promise<void>;
}

/** Those of a folder, which need not be there. */
export function unsentTraces(folder: string): UnsentTraces {
  const fileOf = (run: string): string => join(folder, `${fileName(run)}.json`);
  return {
    add: (run) => writeAtomically(fileOf(run), JSON.stringify(run)),
    async list() {
      const names = await readdir(folder).catch((error: unknown) => {
        if (errorCode(error) === 'ENOENT') return [];
        throw error;
      });
      const runs = names
        .filter((name) => name.endsWith('.json'))
        .map(async (name) => JSON.parse(await readText(join(folder, name))) as string); // by `add`, whole
      return Promise.all(runs);
    },
    remove: (run) => rm(fileOf(run), { force: true }),
  };
}
