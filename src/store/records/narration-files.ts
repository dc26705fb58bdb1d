import { closeSync, openSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { MOODS } from '../../plan/narration/mood.js';
import type { NarrationLine } from '../../plan/narration/record.js';
import type { Json } from '../../plan/values/json.js';
import { fileName, nameText } from '../files.js';
import { makeFolders, PRIVATE_FILE } from '../folders/root.js';
import { appendLine, readLines } from '../line-files.js';
import { errorCode, storeFailure } from '../store-failure.js';

const teller = z.enum(['narrator', 'teacher']);
const lineOf = { at: z.iso.datetime(), key: z.string() };
const lineSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('message'),
    ...lineOf,
    task: z.string(),
    mood: z.enum(MOODS),
    text: z.string(),
    from: z.enum(['model', 'template']),
  }),
  z.object({
    kind: z.literal('lesson'),
    ...lineOf,
    task: z.string(),
    from: z.enum(['model', 'curriculum']),
    concept: z.string(),
    headline: z.string(),
    explanation: z.string(),
    tell_me_more: z.string(),
  }),
  z.object({
    kind: z.literal('asked'),
    ...lineOf,
    by: teller,
    most: z.object({ usd: z.number(), tokens: z.number() }),
    prompts: z.number().optional(),
  }),
  z.object({
    kind: z.literal('answered'),
    ...lineOf,
    by: teller,
    spend: z.object({ usd: z.number().nullable(), tokens: z.number() }),
  }),
]);

export interface NarrationFiles {
  /** One write, so that lines of several processes do not mix. */
  addNarration(run: string, line: NarrationLine): Promise<void>;
  /** What was said of a run and asked for it, in order; what a crash has cut is left out. */
  readNarration(run: string): Promise<NarrationLine[]>;
  /**
   * Takes a concept to teach, once for a build with its reruns and mendings, whose first run is `origin`. False where
   * it was taught.
   */
  claimConcept(origin: string, concept: string): Promise<boolean>;
  /** The concepts that were. */
  listConcepts(origin: string): Promise<string[]>;
}

/** What narrator and teacher say: `<folder>/<run>.ndjson`, and an empty file for each concept that was taught. */
export function createNarrationFiles(folder: string): NarrationFiles {
  return {
    addNarration: (run, line) => appendLine(join(folder, narrationFile(run)), line as unknown as Json), // JSON-safe
    readNarration: async (run) => narrationLines(readLines(join(folder, narrationFile(run))) ?? []),
    async claimConcept(origin, concept) {
      const place = join(folder, conceptsFolder(origin));
      try {
        makeFolders(place);
        closeSync(openSync(join(place, fileName(concept)), 'wx', PRIVATE_FILE)); // Of several at once one succeeds.
        return true;
      } catch (error) {
        if (errorCode(error) === 'EEXIST') return false;
        throw storeFailure(error, 'write', place);
      }
    },
    async listConcepts(origin) {
      try {
        return (await readdir(join(folder, conceptsFolder(origin)))).map(nameText).sort();
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return [];
        throw storeFailure(error, 'read', folder);
      }
    },
  };
}

/** What was said, of lines that a crash or another version may have written otherwise. */
export function narrationLines(lines: Json[]): NarrationLine[] {
  return lines.flatMap((line) => lineSchema.safeParse(line).data ?? []);
}

/** Removes what was said of a run, and which concepts it has begun to teach. */
export async function removeNarration(folder: string, run: string): Promise<void> {
  await rm(join(folder, narrationFile(run)), { force: true });
  await rm(join(folder, conceptsFolder(run)), { recursive: true, force: true });
}

function narrationFile(run: string): string {
  return `${fileName(run)}.ndjson`;
}

function conceptsFolder(origin: string): string {
  return `${fileName(origin)}.concepts`;
}
