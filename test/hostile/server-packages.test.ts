// @module-tag python3
import { existsSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { ServerPlace } from '../../src/activities/mcp/open-server.js';
import { openServer } from '../../src/activities/mcp/open-server.js';
import { startOf } from '../../src/activities/mcp/package-runners.js';
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
  await writeFile(
    join(folder, 'x.js'),
    `#!/usr/bin/env node\nrequire('fs').writeFileSync(${JSON.stringify(mark)}, '')\n`,
  );
  await chmod(join(folder, 'x.js'), 0o755);
  await mkdir(join(dirname(dirname(folder)), '.bin'));
  await symlink(join('..', NAME, 'x.js'), join(root, 'node_modules', '.bin', 'server'));
  await expect(openServer(placeOf(root, ['npx', '-y', NAME]))).rejects.toThrow('cannot be used');
  expect(existsSync(mark)).toBe(false);
});

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
  await expect(openServer(placeOf(root, wordsOf(command)))).rejects.toThrow(/No module named '?canary/);
  expect(existsSync(join(root, 'mark'))).toBe(false);
});

it.each([
  ['/usr/bin/npx -y x', '--prefix /dev/null -y x'],
  ['npm exec -y x', '--prefix /dev/null exec -y x'],
  ['npm --loglevel silent exec x', '--prefix /dev/null --loglevel silent exec x'],
  ['npm run serve', 'run serve'],
  ['npm run x', 'run x'],
  ['pnpm dlx x', '-C / dlx x'],
  ['pnpx x', '-C / x'],
  ['deno run -A npm:x serve', 'run --no-config --node-modules-dir=none -A npm:x serve'],
  ['deno --quiet run npm:x', '--quiet run --no-config --node-modules-dir=none npm:x'],
  ['deno run server.ts', 'run server.ts'],
  ['bunx @scope/x@1.2.3', '@scope/x@1.2.3'],
  ['bun x x@1', 'x x@1'],
  ['bun server.ts', 'server.ts'],
  ['python3 server.py -m', 'server.py -m'],
  ['python3 -u -W ignore tools/server.py', '-u -W ignore tools/server.py'],
  ['pypy3 --check-hash-based-pycs never s.py', '--check-hash-based-pycs never s.py'],
  ['env A=1 npx -y x', 'A=1 npx --prefix /dev/null -y x'],
  ['mise x -- npx -y x', 'x -- npx --prefix /dev/null -y x'],
  ['corepack pnpm dlx x', 'pnpm -C / dlx x'],
  ['nice -n 5 env A=1 npm exec x', '-n 5 env A=1 npm --prefix /dev/null exec x'],
  ['timeout 9 python3 s.py', '9 python3 s.py'],
  ['env -i python3 -m x', '-i python3 -P -m x'],
  ['bash start.sh npx', 'start.sh npx'],
  ['sh -c python3%20s.py', '-c python3%20s.py'],
  ['docker run -i image npx -y x', 'run -i image npx -y x'],
])('`%s` is told to take no package of its folder', (command, words) => {
  const [program = '', ...args] = wordsOf(command);
  expect(startOf(program, args)).toEqual({ args: wordsOf(words), env: {} });
});

it.each(['pypy3 -m x', 'python3.13t -mx', 'python -', 'python3 --help -um x'])(
  '`%s` is told to import nothing of its folder',
  (command) => {
    const [program = '', ...args] = command.split(' ');
    expect(startOf(program, args)).toEqual({ args, env: { PYTHONSAFEPATH: '1' } });
  },
);

it.each([
  'bunx x',
  'bunx @scope/x',
  'bun x @scope/x',
  'yarn dlx x',
  'pipx run x',
  'pipx --quiet run x',
  'corepack yarn dlx x',
  'sh -c npx%20-y%20x',
  'bash -lc cd%20sub&&exec%20npx%20x',
  'zsh -c "python3%20-m%20x"',
  'sh -c env%20A=1%20python3%20-c%20y',
  'busybox sh -c $(npx%20x)',
  'env -S npx%20-y%20x',
  'env -vSnpx -y x',
  'env --split-string=npx%20-y%20x',
])('`%s` starts no server', async (command) => {
  const root = await temporaryFolder();
  await expect(openServer(placeOf(root, wordsOf(command)))).rejects.toThrow('The MCP server `canary` is not started: ');
});

/** Words that stand between blanks; a blank in one is `%20`. */
function wordsOf(command: string): string[] {
  return command.split(' ').map((word) => word.replaceAll('%20', ' '));
}

function placeOf(root: string, argv: string[]): ServerPlace {
  const env = { npm_config_offline: 'true' };
  const server = { kind: 'stdio' as const, argv, env, cwd: null, timeout_ms: 30_000 };
  return { name: 'canary', root, store: 'none', credentials: () => ({}), server };
}
