// Reads vitest's report of one tier: the tests by what came of them.
import { existsSync, readFileSync } from 'node:fs';

/**
 * Tests by outcome; a file that could not be loaded counts as one failure. `missing` has, by the name of a need, why
 * tests that need it are not run (`needs.mjs`): these are `notRun`. All others that were skipped are `skipped`, which
 * is not allowed.
 */
export function readReport(file, missing) {
  if (!existsSync(file)) return { passed: 0, failed: 0, broken: ['no report'], skipped: [], notRun: [] };
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === 'failed');
  const unloaded = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  );
  const skipped = tests
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map((test) => ({ title: test.fullName, why: whyNot(test, missing) }));
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failed: failed.length + unloaded.length,
    broken: [...failed.map(toldOf), ...unloaded.map(({ name, message }) => `${name}\n${message}`)],
    skipped: skipped.filter(({ why }) => why === '').map(({ title }) => title),
    notRun: skipped.filter(({ why }) => why !== '').map(({ title, why }) => `${title}: ${why}`),
  };
}

/** Why a test could not be run here; empty when it was skipped for no such reason. */
function whyNot({ tags = [] }, missing) {
  return tags.flatMap((tag) => missing.get(tag) ?? []).join('; ');
}

/** A failed test with the beginning of what it failed with: the message, and where. */
function toldOf({ fullName, failureMessages }) {
  return [fullName, ...failureMessages.flatMap((message) => message.split('\n').slice(0, 8))].join('\n  ');
}
