import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RUN_ID } from '../plan/names.js';
import type { RunRecord } from '../plan/result.js';
import { writeAtomically } from './files.js';
import { errorCode, StoreFailure, storeFailure } from './store-failure.js';

const EXTENSION = '.json';

export interface RunFiles {
  writeRun(record: RunRecord): Promise<void>;
  readRun(run: string): Promise<RunRecord | null>;
  listRuns(): Promise<string[]>;
}

/** What remains of closed root runs (decision 7): `<folder>/<run>.json`. */
export function createRunFiles(folder: string): RunFiles {
  return {
    async writeRun(record) {
      if (!RUN_ID.test(record.run)) throw new StoreFailure('internal', `Expected a run's id, got \`${record.run}\`.`);
      await writeAtomically(join(folder, record.run + EXTENSION), JSON.stringify(record));
    },
    async readRun(run) {
      if (!RUN_ID.test(run)) return null;
      const path = join(folder, run + EXTENSION);
      try {
        return JSON.parse(await readFile(path, 'utf8')) as RunRecord; // Written whole by `writeRun`, or not at all.
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return null;
        if (error instanceof SyntaxError) throw new StoreFailure('store-missing', `The record of run \`${run}\` is corrupt: the file \`${path}\` is not JSON.`, { cause: error });
        throw storeFailure(error, 'read', path);
      }
    },
    async listRuns() {
      try {
        const names = await readdir(folder);
        return names.filter((name) => name.endsWith(EXTENSION)).map((name) => name.slice(0, -EXTENSION.length)).sort();
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return [];
        throw storeFailure(error, 'read', folder);
      }
    },
  };
}
