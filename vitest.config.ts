import { defineConfig } from 'vitest/config';
import { NEEDS, findMissing } from './scripts/needs.mjs';
import { SlowFirst } from './scripts/slow-first.mjs';
import { TIERS } from './scripts/tiers.mjs';

const SECONDS = 1000;
/** These only end what hangs: a machine that is busy with other things takes five times as long. */
const LIMITS = {
  pure: 100 * SECONDS,
  replay: 120 * SECONDS,
  server: 300 * SECONDS,
  faults: 600 * SECONDS,
  hostile: 300 * SECONDS,
  tools: 300 * SECONDS,
};

const missing = new Set(findMissing({ full: process.env['PERDURE_FULL'] === '1' }).map(({ name }) => name));

export default defineConfig({
  test: {
    pool: 'forks',
    globalSetup: ['test/global-setup.ts'],
    // More than half of the time of most files is waiting for processes and servers: four of them fill two cores.
    maxWorkers: 4,
    sequence: { sequencer: SlowFirst },
    expect: { poll: { timeout: 90 * SECONDS } },
    allowOnly: process.env['CI'] === undefined,
    // A tag is something that a test needs of the machine. What is missing is not waited for.
    tags: NEEDS.map(({ name }) => ({ name, ...(missing.has(name) && { skip: true }) })),
    projects: Object.entries(TIERS).map(([name, folders]) => ({
      extends: true as const,
      test: {
        name,
        // Loading modules anew for each file took half of the first tier's CPU, and a fifth of the others'. Files leave
        // nothing behind in their process: what helpers open is opened and closed by a call at the head of each file.
        // Two hostile ones have modules of their own in the place of others (`vi.mock`).
        isolate: name === 'hostile',
        include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
        testTimeout: LIMITS[name as keyof typeof LIMITS],
        hookTimeout: 300 * SECONDS,
        teardownTimeout: 30 * SECONDS,
      },
    })),
  },
});
