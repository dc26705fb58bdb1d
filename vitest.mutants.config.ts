import { defineConfig } from 'vitest/config';
import base from './vitest.config.js';

/**
 * What `npm run mutants` runs: the quick part of the pure tier. What starts programs or takes seconds is left out, so
 * that a mutant takes less than one. `MUTANTS_TESTS` names folders or files instead, divided by commas.
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
    exclude: ['agents', 'compiled', 'completion', 'lean', 'refusals', 'usage'].map(
      (name) => `test/cli/${name}.test.ts`,
    ),
    setupFiles: ['test/mutants-setup.ts'],
    testTimeout: 100_000,
  },
});
