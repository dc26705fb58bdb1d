// `npm run mutants`: changes the code in small ways, and tells which changes no test of the pure tier notices
// (docs/mutants.md).
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'vitest.mutants.config.ts', related: false },
  mutate: ['src/plan/**/*.ts', 'src/store/**/*.ts'],
  // What a module makes as it is loaded is there before any test: each such mutant would run every test.
  ignoreStatic: true,
  // Its tests start processes of their own.
  concurrency: 1,
  timeoutMS: 20_000,
  timeoutFactor: 3,
  incremental: true,
  incrementalFile: 'mutants/known.json',
  tempDirName: '.mutants',
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: 'mutants/report.json' },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  ignorePatterns: ['dist.*', 'mutants', 'bench-results', '.perdure'],
};
