import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SpeakingRuns } from '../../../src/store/records/session-files.js';

/** A folder for one test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'perdure-store-'));
  // A property that was interrupted may still write.
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** What a store knows of runs that were never submitted to it. */
export const NO_RUNS: SpeakingRuns = { readSubmitted: async () => [], readRun: async () => null };
