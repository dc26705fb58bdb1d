// Builds `dist/`: the JavaScript of `src/`, the command line as one file that loads fast, and the bundle that workers
// give to the workflow sandbox (decision 9).
// Nothing is done when no input has changed. The demo, the tests and `npm pack` run it too (decision 48).
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const dist = join(root, 'dist');
const draft = join(root, `dist.${process.pid}`);
const stamp = 'build.json';
const SHELL_OF_NPM = join('activities', 'mcp', 'enter-folder.sh');

/**
 * Modules that run a worker: its packages must be there once, with their native code, so they stay files of their own.
 */
const OF_THE_WORKER = ['host/host', 'host/host-worker', 'worker/create-worker', 'foreground-host', 'worker-main'].map(
  (name) => join(root, 'src', 'workers', `${name}.js`),
);

/**
 * What the bundle uses of the language itself, but for what the SDK replaces for each run: `Date`, timers, weak
 * references.
 */
const BUILTINS = [
  'Array',
  'BigInt',
  'Boolean',
  'Error',
  'Function',
  'Int32Array',
  'JSON',
  'Map',
  'Math',
  'Number',
  'Object',
  'Promise',
  'Proxy',
  'RangeError',
  'Reflect',
  'RegExp',
  'Set',
  'String',
  'Symbol',
  'TypeError',
  'Uint16Array',
  'Uint8Array',
  'WeakMap',
  'WeakSet',
  'isNaN',
  'parseFloat',
  'parseInt',
];

/**
 * What these modules make when they are loaded, made when a text needs it. The first segmenter of a process takes 11
 * ms, all emoji 40 ms.
 */
const SEGMENTER = {
  'const segmenter = new Intl.Segmenter();':
    'let characters; const segmenter = { segment: (text) => (characters ??= new Intl.Segmenter()).segment(text) };',
};
const EMOJI = {
  [String.raw`const rgiEmojiRegex = /^\p{RGI_Emoji}$/v;`]: String.raw`let emoji;
const rgiEmojiRegex = { test: (text) => (emoji ??= new RegExp('^\\p{RGI_Emoji}$', 'v')).test(text) };`,
};

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
  console.error('build: dist/cli, dist/workers/host.cjs');
  await bundleCommandLine();
  await bundleHost();
  await bundlePages();
  console.error('build: dist/workflow-bundle.js');
  await bundle();
  writeFileSync(join(draft, stamp), JSON.stringify({ inputs }));
  swap();
  await Promise.all([compileCommandLine(), compileHost()]);
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
  copyFileSync(join(root, 'src', SHELL_OF_NPM), join(draft, SHELL_OF_NPM));
}

/** The command line with the packages it uses. The worker stays outside: few commands run one. */
async function bundleCommandLine() {
  const outdir = join(draft, 'cli');
  for (const name of readdirSync(outdir))
    if (!name.startsWith('main.js')) rmSync(join(outdir, name), { recursive: true });
  await bundleProgram(join('cli', 'command-line.ts'), join(outdir, 'command-line.cjs'), {
    external: ['@temporalio/worker', '@temporalio/testing', 'pg', '@aws-sdk/client-s3'],
    plugins: [
      { name: 'leave-the-worker', setup: ({ onResolve }) => onResolve({ filter: /^\.\.?\// }, leaveTheWorker) },
    ],
  });
  chmodSync(join(outdir, 'main.js'), 0o755);
}

/**
 * The host with its worker: of 2,600 modules and half of its start's time one file. Only the SDK's native code stays
 * outside.
 */
async function bundleHost() {
  await bundleProgram(join('workers', 'host', 'host-main.ts'), join(draft, 'workers', 'host.cjs'), {
    external: ['@temporalio/core-bridge', '@temporalio/testing', 'pg', '@aws-sdk/client-s3', 'nodemailer'],
    plugins: [
      {
        name: 'no-bundler',
        setup: ({ onLoad }) => onLoad({ filter: /@temporalio\/worker\/lib\/workflow\/bundler\.js$/ }, noBundler),
      },
    ],
  });
}

/** What `perdure ui` sends to browsers beside its pages: one script and one style sheet, as files of their own. */
async function bundlePages() {
  const { build: bundleWith } = await import('esbuild');
  await bundleWith({
    entryPoints: ['page.ts', 'page.css'].map((name) => join(root, 'src', 'web', 'browser', name)),
    outdir: join(draft, 'web', 'browser'),
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['chrome109', 'firefox115', 'safari16'],
    charset: 'utf8',
    logLevel: 'warning',
  });
}

/**
 * A program as one file that `run-compiled.ts` runs with V8's compiled code. Names are kept and its map points to
 * `src/`, so that stack traces can be read. The file lies where a path to `dist/workers/` is the same as in `src/`.
 */
async function bundleProgram(entry, outfile, { external, plugins }) {
  const { build: bundleWith } = await import('esbuild');
  await bundleWith({
    entryPoints: [join(root, 'src', entry)],
    outfile,
    bundle: true,
    platform: 'node',
    // A lazy import of a module runs its part of the file.
    format: 'cjs',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    banner: {
      js:
        '(function (require, importModule, __filename, __dirname) { "use strict"; const moduleUrl = ' +
        'require("node:url").pathToFileURL(__filename).href;',
    },
    footer: { js: '})' },
    define: { 'import.meta.url': 'moduleUrl' },
    external,
    plugins: [
      ...plugins,
      {
        name: 'lean-protocol',
        setup: ({ onLoad }) =>
          onLoad({ filter: /@temporalio\/proto\/protos\/json-module\.js$/ }, (args) =>
            leanProtocol(args, dirname(outfile)),
          ),
      },
      {
        name: 'unicode-when-needed',
        setup: ({ onLoad }) => onLoad({ filter: /\/(?:string-width|wrap-ansi)\/index\.js$/ }, unicodeWhenNeeded),
      },
      // Messages of ours are English; those of the other languages are half of zod.
      {
        name: 'one-language',
        setup: ({ onLoad }) =>
          onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
            contents: "export { default as en } from './en.js';",
          })),
      },
    ],
    // Files of the SDK's own threads, which no worker of ours starts.
    logOverride: { 'require-resolve-not-external': 'silent' },
    logLevel: 'warning',
  });
  const text = readFileSync(outfile, 'utf8')
    // Code that was compiled before has lost where it imports from.
    .replaceAll('import("', 'importModule("')
    // A text of ASCII only is read as it is. esbuild leaves comments and regular expressions as they were written.
    .replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  writeFileSync(outfile, text);
}

/**
 * Has V8's compiled code kept (`src/cli/main.ts`), by a command that uses most of the command line: it compiles a
 * definition, and loads Temporal's client to start a run on a server that hangs up.
 */
async function compileCommandLine() {
  const server = createServer((socket) => socket.on('error', () => {}).destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'perdure-build-'));
  try {
    writeFileSync(join(folder, 'first.yml'), 'name: first\nsteps:\n  - id: only\n    command: ["true"]\n');
    const env = { ...process.env, TEMPORAL_ADDRESS: `127.0.0.1:${server.address().port}`, NODE_OPTIONS: '' };
    await once(
      spawn(process.execPath, [join(dist, 'cli', 'main.js'), 'run', 'first.yml'], {
        cwd: folder,
        env,
        stdio: 'ignore',
      }),
      'exit',
    );
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Has V8's compiled code of the host kept too, under the flags that a host has. */
async function compileHost() {
  const { WORKER_FLAGS } = await import(join(dist, 'workers', 'worker', 'worker-options.js'));
  const env = { ...process.env, NODE_OPTIONS: '' };
  await once(
    spawn(process.execPath, [...WORKER_FLAGS, join(dist, 'workers', 'host-entry.js'), '--load-only'], {
      env,
      stdio: ['ignore', 'ignore', 2],
    }),
    'exit',
  );
}

function unicodeWhenNeeded({ path }) {
  let contents = readFileSync(path, 'utf8');
  for (const [eager, lazy] of Object.entries({ ...SEGMENTER, ...(path.includes('string-width') ? EMOJI : {}) })) {
    if (!contents.includes(eager)) throw new Error(`Expected \`${path}\` to hold \`${eager}\``);
    contents = contents.replace(eager, () => lazy);
  }
  return { contents };
}

/** A host runs the workflow bundle that was built: what makes one, webpack and its kin, is not loaded. */
function noBundler() {
  return {
    contents: `exports.defaultWorkflowInterceptorModules = [];
const refuse = () => { throw new Error('Expected the workflow bundle that was built'); };
exports.bundleWorkflowCode = refuse;
exports.WorkflowCodeBundler = refuse;`,
  };
}

function leaveTheWorker({ path, resolveDir }) {
  const file = resolve(resolveDir, path);
  return OF_THE_WORKER.includes(file)
    ? { path: file.replace(join(root, 'src'), '..').replaceAll('\\', '/'), external: true }
    : null;
}

/**
 * Temporal's protocol as a file that is parsed as JSON, which is read several times as fast as JavaScript, and without
 * the API of Temporal Cloud's control plane, a quarter of it, for which there is no command.
 */
function leanProtocol({ path }, folder) {
  const [head, rest] = readFileSync(path, 'utf8').split('.addJSON(');
  const end = rest?.lastIndexOf(');\n\n') ?? -1;
  if (end === -1) throw new Error(`Expected \`${path}\` to be made by pbjs as a json-module`);
  const protocol = JSON.parse(rest.slice(0, end));
  delete protocol.temporal.nested.api.nested.cloud;
  writeFileSync(join(folder, 'temporal-protocol.json'), JSON.stringify(protocol));
  const file = `require('node:path').join(__dirname, 'temporal-protocol.json')`;
  const text = `require('node:fs').readFileSync(${file}, 'utf8')`;
  return { contents: `${head}.addJSON(JSON.parse(${text}));\nmodule.exports = $root;`, loader: 'js' };
}

async function bundle() {
  const workflowsPath = join(draft, 'workflows', 'index.js');
  const orderedResults = join(draft, 'workflows', 'determinism', 'ordered-results.js');
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  // Our modules have no state of a run (lint sees to it), so all runs of a worker share them: without this each run
  // loads its own.
  const { code: bundled } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [orderedResults],
    preloadModules: [workflowsPath, orderedResults],
    logger: bundlerLog(),
  });
  const code = withBuiltins(bundled);
  writeFileSync(join(draft, 'workflow-bundle.js'), code);
  // Workers refuse a bundle that was made with another version of the SDK than theirs.
  const sdk = require('@temporalio/worker/package.json').version;
  // Stands in three events of every step: the SDK's own has 90 characters.
  const buildId = `perdure-${createHash('sha256').update(code).digest('hex').slice(0, 12)}`;
  writeFileSync(join(draft, 'workflow-bundle.json'), `${JSON.stringify({ sdk, buildId })}\n`);
}

/**
 * Has the bundle look at its builtins once. In a context of `node:vm` each look at a global takes half a microsecond.
 * On a line that is there, so that the source map stays true.
 */
function withBuiltins(code) {
  const start = '(() => { // webpackBootstrap\n';
  if (!code.includes(start)) throw new Error(`Expected the workflow bundle to begin with \`${start.trim()}\``);
  return code.replace(start, `(() => { const { ${BUILTINS.join(', ')} } = globalThis; // webpackBootstrap\n`);
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
    .filter((entry) => entry.isFile() && /\.(?:tsx?|css|sh)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  const settings = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/build.mjs'].map((name) =>
    join(root, name),
  );
  for (const file of [...sources.sort(), ...settings])
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}
