import { defineConfig } from 'vitest/config';
import { filesOf, LONG, secondsOf } from './scripts/tiers.mjs';
import base from './vitest.config.js';

/**
 * What `npm run mutants` runs: the quick part of the pure tier. What starts programs and what says to be long is left
 * out, so that a mutant takes less than a second. `MUTANTS_TESTS` names folders or files instead, divided by commas.
 */
const tests = process.env['MUTANTS_TESTS']?.split(',');

export default defineConfig({
  test: {
    tags: base.test?.tags ?? [],
    include: tests?.map((name) => (name.endsWith('.ts') ? name : `${name}/**/*.test.ts`)) ?? [
      'test/plan/**/*.test.ts',
      'test/store/**/*.test.ts',
      'test/cli/**/*.test.ts',
    ],
    exclude: [
      ...['agents/**', 'compiled.test.ts', 'render/completion.test.ts', 'commands/usage.test.ts'].map(
        (name) => `test/cli/${name}`,
      ),
      ...filesOf('pure', '.').filter((file) => secondsOf(file) >= LONG),
    ],
    setupFiles: ['test/mutants-setup.ts'],
    testTimeout: 100_000,
  },
});
