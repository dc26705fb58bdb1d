import { join } from 'node:path';
import type { Recorded } from '../../plan/agents/recorded-answers.js';
import { fileName, writeAtomically } from '../files.js';
import { errorCode, storeFailure } from '../store-failure.js';
import { readText } from '../read-regular.js';

export interface RecordedFiles {
  /** What a run that is a test is to get; said before it starts. */
  writeRecorded(run: string, recorded: Recorded): Promise<void>;
  /** Null for a run that was told nothing of the kind. */
  readRecorded(run: string): Promise<Recorded | null>;
}

/** What tests give in the place of models and commands: `<folder>/<run>.json`. */
export function createRecordedFiles(folder: string): RecordedFiles {
  const pathOf = (run: string): string => join(folder, `${fileName(run)}.json`);
  return {
    writeRecorded: (run, recorded) => writeAtomically(pathOf(run), JSON.stringify(recorded)),
    async readRecorded(run) {
      try {
        return JSON.parse(await readText(pathOf(run))) as Recorded; // written whole by `writeRecorded`
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return null;
        throw storeFailure(error, 'read', pathOf(run));
      }
    },
  };
}
