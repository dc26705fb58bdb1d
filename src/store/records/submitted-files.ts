import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { fileName, writeAtomically } from '../files.js';
import type { RunFiles } from './run-files.js';
import { errorCode, isOfOneFile, StoreFailure, storeFailure } from '../store-failure.js';
import { readTextNow } from '../read-regular.js';

const submittedSchema = z.object({
  run: z.string(),
  definition: z.string(),
  /** What it is about, in a few words, where somebody said it. */
  description: z.string().optional(),
  rehearsal: z.boolean(),
  submitted_by: z.string(),
  /** ISO 8601, UTC. */
  submitted_at: z.iso.datetime(),
  /** The run that it is a rerun of, or whose build it mends. */
  after: z.string().optional(),
  /** Id of the server that it was given to; absent for the own one of a store that nobody else has. */
  server: z.string().optional(),
  /** How that was reached, where it is none of ours: for people. */
  at: z.object({ address: z.string(), namespace: z.string() }).optional(),
  /** It may change files of the project's folder, where each worker may have another. */
  in_folder: z.literal(true).optional(),
  /** Of its workspace, from the root, what its agents must not write beside what rules protect. */
  kept: z.array(z.string()).optional(),
});

/** What is known of a run without its server, from the moment it was submitted until it leaves its record. */
export type SubmittedRun = z.infer<typeof submittedSchema>;

export interface SubmittedFiles {
  /**
   * Remembers a root run that is about to be started. Gives false, and changes nothing, where its id is known already.
   */
  noteSubmitted(run: SubmittedRun): Promise<boolean>;
  /**
   * What was noted of these runs, in any order; nothing of one that was not submitted here, was forgotten, or cannot be
   * read.
   */
  readSubmitted(runs: string[]): Promise<SubmittedRun[]>;
  /** All that were submitted here, not forgotten, and have left no record. */
  listUnrecorded(): Promise<SubmittedRun[]>;
  forgetSubmitted(run: string): Promise<void>;
}

const EXTENSION = '.json';

/** The file of one submitted run, below the folder of all. */
export function submittedFile(run: string): string {
  return `${fileName(run)}${EXTENSION}`;
}

/** Runs that were submitted from here: `<folder>/<run>.json`; `listRuns` gives those that have left a record. */
export function createSubmittedFiles(folder: string, { listRuns }: Pick<RunFiles, 'listRuns'>): SubmittedFiles {
  return {
    async noteSubmitted(run) {
      const path = join(folder, submittedFile(run.run));
      if (readSubmitted(path) !== null) return false;
      await writeAtomically(path, JSON.stringify(run));
      return true;
    },
    readSubmitted: async (runs) => runs.flatMap((run) => ofMany(join(folder, submittedFile(run)))),
    async listUnrecorded() {
      const names = await namesIn(folder);
      // After them: a run that ends meanwhile is in both.
      const ended = new Set((await listRuns()).map(submittedFile));
      return names.filter((name) => !ended.has(name)).flatMap((name) => ofMany(join(folder, name)));
    },
    async forgetSubmitted(run) {
      await rm(join(folder, submittedFile(run)), { force: true });
    },
  };
}

/**
 * Null where there is none, and where somebody damaged it: the run itself is the server's. There are thousands, and a
 * trip through the thread pool takes ten times as long as the call.
 */
function readSubmitted(path: string): SubmittedRun | null {
  try {
    return submittedIn(readTextNow(path));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw storeFailure(error, 'read', path);
  }
}

/** Of many one that alone cannot be read is left out, like one that was damaged: it hides none of the others. */
function ofMany(path: string): SubmittedRun[] {
  try {
    return [readSubmitted(path) ?? []].flat();
  } catch (error) {
    if (error instanceof StoreFailure && isOfOneFile(error)) return [];
    throw error;
  }
}

/** A submitted run of its text; null of one that was damaged. */
export function submittedIn(text: string): SubmittedRun | null {
  try {
    return submittedSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith(EXTENSION));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw storeFailure(error, 'read', folder);
  }
}
