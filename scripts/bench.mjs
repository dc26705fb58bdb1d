// `npm run bench`: builds `bench/` and runs it against `dist/`, so that what is measured is what people run.
import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const outdir = join(root, 'node_modules', '.cache', 'perdure-bench');

const made = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { stdio: ['ignore', 2, 2] });
if (made.status !== 0) process.exit(made.status ?? 1);

/** Imports of `src/` mean the files in `dist/`. */
const useDist = {
  name: 'use-dist',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
      const file = resolve(resolveDir, path);
      const source = join(root, 'src') + sep;
      return file.startsWith(source) ? { path: join(root, 'dist', file.slice(source.length)), external: true } : null;
    });
  },
};

rmSync(outdir, { recursive: true, force: true });
await build({
  entryPoints: [
    'main',
    'guard',
    'our-worker',
    'replayer',
    'by-hand-on-ours',
    'by-hand/worker',
    'by-hand/workflows',
  ].map((name) => join(root, 'bench', `${name}.ts`)),
  outbase: join(root, 'bench'),
  outdir,
  bundle: true,
  sourcemap: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  plugins: [useDist],
  logLevel: 'warning',
});
// Over the channel the benchmark learns that this process was killed; it would go on otherwise.
const child = spawn(process.execPath, ['--enable-source-maps', join(outdir, 'main.js'), ...process.argv.slice(2)], {
  cwd: root,
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
});
child.once('exit', (code) => (process.exitCode = code ?? 1));
