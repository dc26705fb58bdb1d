// Builds `dist/`: the JavaScript of `src/` and the bundle that workers give to the workflow sandbox (decision 9).
// Nothing is done when no input has changed. `npm ci` runs it too, by the `prepare` script.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const dist = join(root, 'dist');
const draft = join(root, `dist.${process.pid}`);
const stamp = 'build.json';

const inputs = inputsHash();
if (existsSync(join(dist, stamp)) && JSON.parse(readFileSync(join(dist, stamp), 'utf8')).inputs === inputs) {
  console.error('build: dist/ is up to date');
} else {
  const started = performance.now();
  try {
    await build();
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  console.error(`build: done in ${((performance.now() - started) / 1000).toFixed(1)} s`);
}

/** Builds beside `dist/` and swaps at the end, so that a build that fails or is killed leaves the last one whole. */
async function build() {
  console.error('build: src/ → dist/');
  mkdirSync(draft);
  compile();
  console.error('build: dist/workflow-bundle.js');
  await bundle();
  writeFileSync(join(draft, stamp), JSON.stringify({ inputs }));
  swap();
}

/** Another build may do the same at this moment; whichever comes last stays. */
function swap() {
  const old = `${draft}.old`;
  for (let tries = 0; ; tries++) {
    try {
      if (existsSync(dist)) renameSync(dist, old);
      renameSync(draft, dist);
      return;
    } catch (error) {
      if (tries === 5) throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

/** Types are checked by `npm run typecheck`; here they are only taken away, which is four times as fast. */
function compile() {
  const tsc = require.resolve('typescript/bin/tsc');
  const args = [tsc, '-p', join(root, 'tsconfig.build.json'), '--noCheck', '--outDir', draft];
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`tsc ended with ${status}`);
  const bin = join(draft, 'cli', 'main.js');
  if (existsSync(bin)) chmodSync(bin, 0o755);
}

async function bundle() {
  const workflowsPath = join(draft, 'workflows', 'index.js');
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: bundlerLog() });
  writeFileSync(join(draft, 'workflow-bundle.js'), code);
  // Workers refuse a bundle that was made with another version of the SDK than theirs.
  const sdk = require('@temporalio/worker/package.json').version;
  writeFileSync(join(draft, 'workflow-bundle.json'), `${JSON.stringify({ sdk })}\n`);
}

/** The bundler's progress is nobody's concern; its warnings and errors are. */
function bundlerLog() {
  const say = (message) => console.error(`build: ${message}`);
  const silent = () => {};
  return { log: silent, trace: silent, debug: silent, info: silent, warn: say, error: say };
}

/** One hash over everything the result depends on. */
function inputsHash() {
  const hash = createHash('sha256').update(process.version);
  const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
  const settings = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/build.mjs'].map((name) => join(root, name));
  for (const file of [...sources.sort(), ...settings]) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}
