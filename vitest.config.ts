import { defineConfig } from 'vitest/config';

/** Folders of each tier, fast ones first; `scripts/test.mjs` runs them in this order. */
const TIERS = {
  // Functions, files and loopback sockets.
  pure: ['plan', 'compiler', 'store', 'activities', 'cli'],
  // Stored histories against today's workflow code (I14).
  replay: ['replay'],
  // A real Temporal server.
  server: ['model', 'workflows', 'workers', 'definitions', 'commands'],
  // Processes killed, disks full, servers gone.
  faults: ['faults'],
  // Input that means harm.
  hostile: ['hostile'],
  // Programs of this machine: compilers, terminals, browsers.
  tools: ['tools'],
};

const SECONDS = 1000;
const LIMITS = { pure: 20 * SECONDS, replay: 60 * SECONDS, server: 120 * SECONDS, faults: 300 * SECONDS, hostile: 120 * SECONDS, tools: 120 * SECONDS };

export default defineConfig({
  test: {
    pool: 'forks',
    globalSetup: ['test/global-setup.ts'],
    // A Temporal server and a worker fill a core each.
    maxWorkers: 2,
    allowOnly: process.env['CI'] === undefined,
    projects: Object.entries(TIERS).map(([name, folders]) => ({
      extends: true as const,
      test: {
        name,
        include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
        testTimeout: LIMITS[name as keyof typeof LIMITS],
        hookTimeout: 300 * SECONDS,
        teardownTimeout: 30 * SECONDS,
      },
    })),
  },
});
