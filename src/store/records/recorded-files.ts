import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecordedAnswer } from '../../plan/agents/recorded-answers.js';
import { fileName, writeAtomically } from '../files.js';
import { errorCode, storeFailure } from '../store-failure.js';

export interface RecordedFiles {
  /** What the models of a run are to answer; said before it starts. */
  writeAnswers(run: string, answers: RecordedAnswer[]): Promise<void>;
  /** Null for a run that was told nothing of the kind. */
  readAnswers(run: string): Promise<RecordedAnswer[] | null>;
}

/** Answers that tests give in the place of models: `<folder>/<run>.json`. */
export function createRecordedFiles(folder: string): RecordedFiles {
  const pathOf = (run: string): string => join(folder, `${fileName(run)}.json`);
  return {
    writeAnswers: (run, answers) => writeAtomically(pathOf(run), JSON.stringify(answers)),
    async readAnswers(run) {
      try {
        return JSON.parse(await readFile(pathOf(run), 'utf8')) as RecordedAnswer[]; // written whole by `writeAnswers`
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return null;
        throw storeFailure(error, 'read', pathOf(run));
      }
    },
  };
}
