// `npm test [tier…]`: the tiers of `vitest.config.ts`, fast ones first. Campaigns run the shard that the commit draws, or all of it
// with `--full`. The last line is `N passed, N failed`; tests that were skipped count as failed.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const TIERS = ['pure', 'replay', 'server', 'hostile', 'faults', 'tools'];

const full = process.argv.includes('--full');
const named = process.argv.slice(2).filter((argument) => argument !== '--full');
const unknown = named.filter((tier) => !TIERS.includes(tier));
if (unknown.length > 0) {
  console.error(`Expected tiers out of ${TIERS.join(', ')}, got \`${unknown.join(' ')}\``);
  process.exit(2);
}

build();
const seed = process.env.PERDURE_SEED ?? commit();
console.log(`tests: ${full ? 'everything' : `the campaigns' shard of seed ${seed} (PERDURE_SEED=${seed} repeats it)`}`);
const reports = mkdtempSync(join(tmpdir(), 'perdure-tests-'));
const env = { ...process.env, PERDURE_SEED: seed, PERDURE_FULL: full ? '1' : '', PERDURE_TEMPORAL_BIN: await temporalBinary() };
let passed = 0;
let failed = 0;
/** Told once more at the end, with why: only the last lines of a long log are kept. */
const broken = [];
try {
  for (const tier of named.length > 0 ? named : TIERS) runTier(tier);
} finally {
  rmSync(reports, { recursive: true, force: true });
}
for (const title of broken) console.log(`failed in ${title}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function runTier(tier) {
  const file = join(reports, `${tier}.json`);
  console.log(`\n== ${tier}`);
  const started = performance.now();
  const args = ['run', '--project', tier, '--passWithNoTests', '--reporter=dot', '--reporter=json', `--outputFile.json=${file}`];
  const { status } = spawnSync(process.execPath, [vitest, ...args], { cwd: root, env, stdio: 'inherit' });
  const counts = countsOf(file);
  for (const title of counts.skipped) console.log(`skipped, which is not allowed: ${title}`);
  // An error outside of any test fails the run without failing a test.
  const failures = Math.max(counts.failed + counts.skipped.length, status === 0 ? 0 : 1);
  broken.push(...counts.broken.map((title) => `${tier}: ${title}`));
  passed += counts.passed;
  failed += failures;
  console.log(`${tier}: ${counts.passed} passed, ${failures} failed in ${((performance.now() - started) / 1000).toFixed(0)} s`);
}

/** Tests by outcome; a file that could not be loaded counts as one failure. */
function countsOf(file) {
  if (!existsSync(file)) return { passed: 0, failed: 0, skipped: [], broken: ['no report'] };
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'));
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const unloaded = testResults.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status === 'passed'));
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failed: tests.filter(({ status }) => status === 'failed').length + unloaded.length,
    broken: [...tests.filter(({ status }) => status === 'failed').map(toldOf), ...unloaded.map(({ name, message }) => `${name}\n${message}`)],
    skipped: tests.filter(({ status }) => status !== 'passed' && status !== 'failed').map(({ fullName }) => fullName),
  };
}

/** A failed test with the beginning of what it failed with: the message, and where. */
function toldOf({ fullName, failureMessages }) {
  return [fullName, ...failureMessages.flatMap((message) => message.split('\n').slice(0, 8))].join('\n  ');
}

function build() {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

/** Finds or builds the Temporal binary once, before any test's time limit runs. */
async function temporalBinary() {
  const { findTemporal } = await import(join(root, 'dist', 'workers', 'temporal-binary.js'));
  const { path } = await findTemporal({ onProgress: (line) => console.log(line) });
  return path;
}

function commit() {
  try {
    return execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  } catch {
    return 'none';
  }
}
