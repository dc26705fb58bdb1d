// `npm test [tier…]`: the tiers of `tiers.mjs`, fast ones first. Campaigns and long files run the shard that the commit
// draws; `--long` runs all long files, `--full` all of the campaigns too. What the tiers need of the machine is found
// first: missing Debian packages are installed where that is allowed, unless `--no-install` is given; else the tests
// that need them are not run, and are told at the end. The last line is `N passed, N failed`, with `, N not run` where
// some were not; tests that were skipped for any other reason count as failed. Exit codes: 0 all passed, 1 some failed,
// 2 wrong usage, 3 none failed but some could not be run.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { provide } from './needs.mjs';
import { readReport } from './test-report.mjs';
import { filesOf, secondsOf, shardOf, SHARDS, TIERS } from './tiers.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const NAMES = Object.keys(TIERS);
const FLAGS = ['--full', '--long', '--no-install'];
const EXIT = { passed: 0, failed: 1, usage: 2, lacking: 3 };

const full = process.argv.includes('--full');
const long = full || process.argv.includes('--long');
const named = process.argv.slice(2).filter((argument) => !FLAGS.includes(argument));
const unknown = named.filter((tier) => !NAMES.includes(tier));
if (unknown.length > 0) {
  console.error(`Expected tiers out of ${NAMES.join(', ')}, or ${FLAGS.join(', ')}; got \`${unknown.join(' ')}\``);
  process.exit(EXIT.usage);
}
const tiers = named.length > 0 ? NAMES.filter((tier) => named.includes(tier)) : NAMES;

ownEnvironment();
build();
const lacking = provide({
  tiers,
  full,
  mayInstall: !process.argv.includes('--no-install'),
  say: (line) => console.log(`tests: ${line}`),
});
const missing = new Map(lacking.map(({ name, sentence }) => [name, sentence]));
const seed = process.env.PERDURE_SEED ?? commit();
console.log(`tests: ${full ? 'everything' : `the campaigns' shard of seed ${seed} (PERDURE_SEED=${seed} repeats it)`}`);
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const reports = mkdtempSync(join(tmpdir(), 'perdure-tests-'));
const env = {
  ...process.env,
  PERDURE_SEED: seed,
  PERDURE_FULL: full ? '1' : '',
  PERDURE_TEMPORAL_BIN: await temporalBinary(),
};
let passed = 0;
let failed = 0;
/** Told once more at the end, with why: only the last lines of a long log are kept. */
const broken = [];
const notRun = [];
try {
  for (const tier of tiers) runTier(tier);
} finally {
  rmSync(reports, { recursive: true, force: true });
}
for (const title of notRun) console.log(`not run: ${title}`);
for (const title of broken) console.log(`failed in ${title}`);
console.log(`\n${passed} passed, ${failed} failed${notRun.length > 0 ? `, ${notRun.length} not run` : ''}`);
process.exitCode = failed > 0 ? EXIT.failed : notRun.length > 0 ? EXIT.lacking : passed > 0 ? EXIT.passed : EXIT.failed;

/**
 * Nothing of whoever started this reaches the tests: not git's variables, not their configuration, no proxy for this
 * machine.
 */
function ownEnvironment() {
  for (const name of ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX', 'NODE_ENV']) delete process.env[name];
  const direct = [process.env.no_proxy, '127.0.0.1,localhost'].filter(Boolean).join(',');
  // A checkout may belong to somebody else than who runs this.
  Object.assign(process.env, {
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
    no_proxy: direct,
  });
}

function runTier(tier) {
  const file = join(reports, `${tier}.json`);
  const files = filesOfRun(tier);
  console.log(`\n== ${tier}${files.told}`);
  const started = performance.now();
  const args = [
    'run',
    '--project',
    tier,
    '--passWithNoTests',
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${file}`,
    ...files.named,
  ];
  const { status } = spawnSync(process.execPath, [vitest, ...args], { cwd: root, env, stdio: 'inherit' });
  const counts = readReport(file, missing);
  for (const title of counts.skipped) console.log(`skipped, which is not allowed: ${title}`);
  // An error outside of any test fails the run without failing a test.
  const failures = Math.max(counts.failed + counts.skipped.length, status === 0 ? 0 : 1);
  broken.push(...counts.broken.map((title) => `${tier}: ${title}`));
  notRun.push(...counts.notRun.map((title) => `${tier}: ${title}`));
  passed += counts.passed;
  failed += failures;
  const rest = counts.notRun.length > 0 ? `, ${counts.notRun.length} not run` : '';
  console.log(
    `${tier}: ${counts.passed} passed, ${failures} failed${rest} in ` +
      `${((performance.now() - started) / 1000).toFixed(0)} s`,
  );
}

/** The files of a tier that run, as vitest's filters, and what is told of the others. No filter for all. */
function filesOfRun(tier) {
  const files = filesOf(tier, root).map((file) => ({ file, seconds: secondsOf(join(root, file)) }));
  const shard = shardOf(tier, files, seed);
  if (long || shard.drawn === shard.long) return { named: [], told: '' };
  const part = `shard ${shard.number + 1} of ${SHARDS}`;
  return {
    named: shard.files,
    told: `: ${shard.drawn} of ${shard.long} long files, ${part} (all: npm run test:long)`,
  };
}

function build() {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? EXIT.failed);
}

/**
 * Finds or builds the Temporal binary once, before any test's time limit runs. Without one there is nothing to test
 * with.
 */
async function temporalBinary() {
  const { findTemporal } = await import(join(root, 'dist', 'workers', 'temporal-binary', 'find.js'));
  try {
    return (await findTemporal({ onProgress: (line) => console.log(line) })).path;
  } catch (error) {
    if (error.name !== 'UnavailableError') throw error;
    console.error(`${error.message}\n${error.hint}`);
    process.exit(EXIT.lacking);
  }
}

function commit() {
  try {
    return execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'none';
  }
}
