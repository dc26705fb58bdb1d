// @seconds 15
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HELLO, newFolder, perdure } from './helpers/command-line.js';

const BUNDLE = fileURLToPath(new URL('../../dist/cli/command-line.cjs', import.meta.url));
const bundle = readFileSync(BUNDLE, 'utf8');
/** Modules of the bundle that run when they are first used: the name of what runs one is its path. */
const LAZY = new Set([...bundle.matchAll(/^\s+"((?:src|node_modules)\/[^"]+)"\(/gm)].map(([, path]) => path ?? ''));
/** Those that always run: they stand in the bundle as they are, below their path. */
const EAGER = [...bundle.matchAll(/^\/\/ ((?:src|node_modules)\/\S+)$/gm)]
  .map(([, path]) => path ?? '')
  .filter((path) => !LAZY.has(path));

/** What `NODE_V8_COVERAGE` has Node write. */
interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[];
}

/** The files that a command has run, and those of the bundle's modules. */
async function modulesOf(args: string[], env: Record<string, string> = {}): Promise<string[]> {
  const folder = newFolder({ 'hello.yml': HELLO });
  const coverage = join(folder, 'coverage');
  await perdure(folder, args, { env: { ...env, NODE_V8_COVERAGE: coverage } });
  const scripts = readdirSync(coverage).flatMap(
    (name) => (JSON.parse(readFileSync(join(coverage, name), 'utf8')) as Coverage).result,
  ); // V8's format
  const run = scripts
    .flatMap(({ functions }) => functions)
    .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
    .map(({ functionName }) => functionName);
  return [...scripts.map(({ url }) => url), ...EAGER, ...run.filter((name) => LAZY.has(name))];
}

/** What a model is called, costs and answers at most: tables, which `plan` reads. */
const TABLES = ['choice/prices', 'choice/price-table', 'choice/with-price', 'http/ollama-address', 'protocol/provider'];

const HEAVY = [
  /@temporalio|@grpc|@anthropic|hono/,
  /node_modules\/vscode-|src\/cli\/lsp\//,
  // Forecasts are pure, and `plan` tells them.
  /(^|\/)(src|dist)\/(workers\/(?!run-compiled\.|forecast\/(?:forecast-plan|price-range)\.)|workflows)/,
  new RegExp(`(^|/)(src|dist)/activities/(?!models/(?:${TABLES.join('|')})\\.)`),
];

describe('commands that need no server load none of it', () => {
  it.each([
    [['--help']],
    [['--version']],
    [['run', '--help']],
    [['validate', 'hello.yml']],
    [['plan', 'hello.yml']],
    [['schema', 'workflow']],
    [['run', 'none.yml']],
    [['rnu']],
  ])('%j', async (args) => {
    const modules = await modulesOf(args);
    expect(modules.some((url) => url.endsWith('/dist/cli/command-line.cjs'))).toBe(true);
    expect(modules.filter((path) => HEAVY.some((heavy) => heavy.test(path)))).toEqual([]);
  });

  it('help does not even load the compiler', async () => {
    expect(
      (await modulesOf(['--help'])).filter((path) => /src\/compiler\/|node_modules\/(zod|yaml)\//.test(path)),
    ).toEqual([]);
  });

  it.each([[['--help']], [['validate', 'hello.yml']], [['schema', 'workflow']], [['run', 'none.yml']]])(
    '%j measures no text',
    async (args) => {
      expect(
        (await modulesOf(args)).filter((path) =>
          /src\/cli\/render\/width|node_modules\/(string-width|wrap-ansi)\//.test(path),
        ),
      ).toEqual([]);
    },
  );

  it('a command that asks the server loads its client, so what is loaded is told right', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const modules = await modulesOf(['list'], {
      TEMPORAL_ADDRESS: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    }); // of a TCP server
    expect(modules.filter((path) => path.startsWith('node_modules/@temporalio/client/'))).not.toEqual([]);
  });
});
