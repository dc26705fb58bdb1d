// @module-tag python3
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import type { ServerPlace } from '../../src/activities/mcp/open-server.js';
import { openServer } from '../../src/activities/mcp/open-server.js';
import { startOf, wordsOf } from '../../src/activities/mcp/package-runners.js';
import { temporaryFolder } from '../activities/helpers/harness.js';

const NAME = '@perdure-canary/server';

it('a server that `npx` starts is no package that an agent has put into the project', async () => {
  const root = await temporaryFolder();
  const mark = join(root, 'mark');
  const folder = join(root, 'node_modules', NAME);
  await mkdir(folder, { recursive: true });
  await writeFile(join(root, 'package.json'), JSON.stringify({ name: 'project', dependencies: { [NAME]: '*' } }));
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: NAME, version: '1.0.0', bin: { server: 'x.js' } }),
  );
  await writeProgram(
    join(folder, 'x.js'),
    `#!/usr/bin/env node\nrequire('fs').writeFileSync(${JSON.stringify(mark)}, '')\n`,
  );
  await mkdir(join(dirname(dirname(folder)), '.bin'));
  await symlink(join('..', NAME, 'x.js'), join(root, 'node_modules', '.bin', 'server'));
  await expect(openServer(placeOf(root, ['npx', '-y', NAME]))).rejects.toThrow('cannot be used');
  expect(existsSync(mark)).toBe(false);
});

it.each(['npx --offline -y %p a%20b', 'npm exec --offline -y -- %p a%20b', 'env A=1 npx --offline -y %p a%20b'])(
  'a server that `%s` starts runs by no program that an agent has put into its folder, and runs there',
  async (command) => {
    const folder = await temporaryFolder();
    const root = join(folder, "it's a project");
    const bins = join(root, 'node_modules', '.bin');
    await mkdir(bins, { recursive: true });
    const server = join(folder, 'server');
    await mkdir(server);
    await writeFile(join(server, 'package.json'), JSON.stringify({ name: 'server', version: '1.0.0', bin: 'x.js' }));
    const told = join(folder, 'told');
    const tell = '[process.cwd(), process.env.PWD, process.env.npm_config_script_shell, process.argv.slice(2)]';
    await writeProgram(
      join(server, 'x.js'),
      `#!/usr/bin/env node\nrequire('fs').writeFileSync(${JSON.stringify(told)}, JSON.stringify(${tell}))\n`,
    );
    const mark = join(folder, 'mark');
    for (const name of ['node', 'sh', 'env', 'server'])
      await writeProgram(join(bins, name), `#!/bin/sh\ntouch ${mark}\n`);
    const place = placeOf(root, split(command.replace('%p', server)), { npm_config_cache: join(folder, 'cache') });
    await expect(openServer(place)).rejects.toThrow('cannot be used');
    expect(existsSync(mark)).toBe(false);
    expect(JSON.parse(readFileSync(told, 'utf8'))).toEqual([root, root, null, ['a b']]);
  },
);

it.each([
  'python3 -m canary',
  'python3 -um canary',
  'python3 -mcanary',
  'python3 -Bm canary',
  'python3 -W ignore -Xutf8 -m canary',
  'python3 -E -m canary',
  'python3 -c import%20canary.__main__',
  'env A=1 python3 -m canary',
])('a server that `%s` starts is no module that an agent has put into the project', async (command) => {
  const root = await temporaryFolder();
  await mkdir(join(root, 'canary'));
  await writeFile(join(root, 'canary', '__main__.py'), 'open("mark", "w")\n');
  await expect(openServer(placeOf(root, split(command)))).rejects.toThrow(/No module named '?canary/);
  expect(existsSync(join(root, 'mark'))).toBe(false);
});

/** Started in `/` as `%n`, and told to take no package of it and to enter the server's folder. */
const IN_ROOT = '/bin/sh -c export%20PERDURE_SERVER_FOLDER="$PWD"%20&&%20cd%20/%20&&%20exec%20"$@" sh';
const ENTER = resolve('dist/activities/mcp/enter-folder.sh');
const TOLD = `${IN_ROOT} %n --prefix /dev/null --script-shell ${ENTER}`;
const NPX = TOLD.replace('%n', 'npx');
const NPM = TOLD.replace('%n', 'npm');

it.each([
  ['/usr/bin/npx -y x', `${TOLD.replace('%n', '/usr/bin/npx')} -y x`],
  ['npm exec -y x', `${NPM} exec -y x`],
  ['npm --loglevel silent exec x', `${NPM} --loglevel silent exec x`],
  ['npm run serve', 'npm run serve'],
  ['npm run x', 'npm run x'],
  ['deno run -A npm:x serve', 'deno run --no-config --node-modules-dir=none -A npm:x serve'],
  ['deno --quiet run npm:x', 'deno --quiet run --no-config --node-modules-dir=none npm:x'],
  ['deno run server.ts', 'deno run server.ts'],
  ['bun server.ts', 'bun server.ts'],
  ['uvx x', 'uvx x'],
  ['python3 server.py -m', 'python3 server.py -m'],
  ['python3 -u -W ignore tools/server.py', 'python3 -u -W ignore tools/server.py'],
  ['pypy3 --check-hash-based-pycs never s.py', 'pypy3 --check-hash-based-pycs never s.py'],
  ['env A=1 npx -y x', `env A=1 ${NPX} -y x`],
  ['mise x -- npx -y x', `mise x -- ${NPX} -y x`],
  ['env A=1 pnpm dlx x', 'env A=1 env COREPACK_ENV_FILE=0 COREPACK_ENABLE_PROJECT_SPEC=0 pnpm -C / dlx x'],
  ['corepack npx -y x', `${TOLD.replace('%n', 'corepack npx')} -y x`],
  ['nice corepack npx -y x', `nice ${TOLD.replace('%n', 'corepack npx')} -y x`],
  ['corepack yarn start', 'corepack yarn start'],
  ['nice -n 5 env A=1 npm exec x', `nice -n 5 env A=1 ${NPM} exec x`],
  ['timeout 9 python3 s.py', 'timeout 9 python3 s.py'],
  ['env -i python3 -m x', 'env -i python3 -P -m x'],
  ['bash start.sh npx', 'bash start.sh npx'],
  ['sh -c python3%20s.py', 'sh -c python3%20s.py'],
  ['docker run -i image npx -y x', 'docker run -i image npx -y x'],
])('`%s` is told to take no package of its folder', (command, words) => {
  expect(started(command)).toEqual({ words: split(words), env: {} });
});

it.each([
  ['pnpm dlx x', 'pnpm -C / dlx x'],
  ['pnpx x', 'pnpx -C / x'],
  ['corepack pnpm dlx x', 'corepack pnpm -C / dlx x'],
])('`%s` is told to take no package of its folder, and no version of itself', (command, words) => {
  const env = { COREPACK_ENV_FILE: '0', COREPACK_ENABLE_PROJECT_SPEC: '0' };
  expect(started(command)).toEqual({ words: split(words), env });
});

it.each(['pypy3 -m x', 'python3.13t -mx', 'python -', 'python3 --help -um x'])(
  '`%s` is told to import nothing of its folder',
  (command) => {
    expect(started(command)).toEqual({ words: split(command), env: { PYTHONSAFEPATH: '1' } });
  },
);

it.each([
  'bunx x',
  'bunx @scope/x',
  'bunx @scope/x@1.2.3',
  'bun x x@1',
  'deno x npm:x',
  'dx x',
  'yarn dlx x',
  'pipx run x',
  'pipx --quiet run x',
  'corepack yarn dlx x',
  'sh -c npx%20-y%20x',
  'sh -c corepack%20pnpm%20dlx%20x',
  'bash -lc cd%20sub&&exec%20npx%20x',
  'zsh -c "python3%20-m%20x"',
  'sh -c env%20A=1%20python3%20-c%20y',
  'busybox sh -c $(npx%20x)',
  'env -S npx%20-y%20x',
  'env -vSnpx -y x',
  'env --split-string=npx%20-y%20x',
])('`%s` starts no server', async (command) => {
  const root = await temporaryFolder();
  await expect(openServer(placeOf(root, split(command)))).rejects.toThrow('The MCP server `canary` is not started: ');
});

function started(command: string): unknown {
  const [program = '', ...args] = split(command);
  const start = startOf(program, args);
  return 'refused' in start ? start : { words: wordsOf(program, start), env: start.env ?? {} };
}

/** Words that stand between blanks; a blank in one is `%20`. */
function split(command: string): string[] {
  return command.split(' ').map((word) => word.replaceAll('%20', ' '));
}

async function writeProgram(file: string, text: string): Promise<void> {
  await writeFile(file, text);
  await chmod(file, 0o755);
}

function placeOf(root: string, argv: string[], more: Record<string, string> = {}): ServerPlace {
  const env = { npm_config_offline: 'true', ...more };
  const server = { kind: 'stdio' as const, argv, env, cwd: null, timeout_ms: 30_000 };
  return { name: 'canary', root, store: 'none', credentials: () => ({}), server };
}
