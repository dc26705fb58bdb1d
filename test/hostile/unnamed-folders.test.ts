// @module-tag sandbox
// @module-tag git
// @module-tag python3
// @seconds 10
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';
import { PERSON } from './person.js';

let context: Awaited<ReturnType<typeof toolContext>>;
let outside: string;
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');
/** A folder of the workspace by bytes, each a character. */
const at = (path: string): Buffer => Buffer.concat([Buffer.from(`${context.workspace}/`), bytes(path)]);
const shell = async (...argv: string[]): Promise<string> =>
  JSON.stringify(await callTool({ kind: 'builtin', name: 'shell' }, { argv }, context));
const marks = (): string[] => readdirSync(outside);
const names = (): string[] =>
  readdirSync(context.workspace, { encoding: 'buffer' })
    .map((name) => name.toString('latin1'))
    .sort();
/** What a person's git does in every folder, whatever it is called. */
const asPerson = (): void => {
  const walk =
    'git status; find . -name .git -prune -o -type d -print0 | xargs -0 -I{} sh -c \'cd "$1" && git status\' - {}';
  spawnSync('sh', ['-c', walk], { cwd: context.workspace, env: PERSON });
};

/** A repository is made at a path, which git at the top enters with `links`, and starts a program by its settings. */
const plant = (path: string, links: boolean): string => `
import os, subprocess
run = lambda *a: subprocess.run(a, check=True)
top, sub = os.fsencode(os.getcwd()), '${path}'.encode('latin1')
os.makedirs(sub)
run('git', '-C', sub, 'init', '-q')
open(sub + b'/a.txt', 'w').write('a')
run('git', '-C', sub, 'add', 'a.txt')
run('git', '-C', sub, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'one')
if ${links ? 'True' : 'False'}: run('git', 'add', sub)
open('evil', 'w').write('#!/bin/sh\\ntouch ${outside}/pwned\\n')
os.chmod('evil', 0o755)
open(sub + b'/.git/config', 'ab').write(b'[core]\\n\\tfsmonitor = ' + top + b'/evil\\n')`;

beforeEach(async () => {
  context = await toolContext();
  outside = join(dirname(context.workspace), 'marks');
  mkdirSync(outside);
  writeFileSync(join(context.workspace, 'a.txt'), 'a\n');
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    ['commit', '-qm', 'one'],
  ])
    execFileSync('git', args, { cwd: context.workspace, env: PERSON });
});

describe('a folder whose name is no UTF-8', () => {
  it.each([
    ['at the root', 's\xff', false],
    ['at the root, with what git at the top enters', 's\xff', true],
    ['above a repository', 's\xff/t/sub', false],
    ['within another one', 'a/s\xff/\xfe', false],
    ['deep, with what git at the top enters', 'a/b/c/d/e/s\xff', true],
    ['deep and above what git at the top enters', 'a/b/c/d/s\xff/e/f/g/sub', true],
    ['with a name of as many bytes as there may be', `${'\xff'.repeat(255)}`, true],
  ])('%s is taken away with the repository that a command makes in it', async (_where, path, links) => {
    const said = await shell('python3', '-c', plant(path, links));
    expect(said).toContain('which is protected');
    asPerson();
    expect(marks()).toEqual([]);
    expect(names()).not.toContain(path.split('/')[0]?.includes('\xff') === true ? path.split('/')[0] : 'nothing');
  });

  it('is taken away with the packages that a command puts into it, also where a link is called so', async () => {
    const said = await shell(
      'python3',
      '-c',
      "import os\nos.makedirs(b's\\xff/node_modules/.bin')\nopen(b's\\xff/node_modules/.bin/perdure', 'w')\n" +
        "os.makedirs('a/b/c/d/e/node_modules')\nos.symlink('a/b/c/d/e', b'l\\xff')",
    );
    expect(said).toMatch(/`l%FF`, `s%FF`|`s%FF`, `l%FF`/);
    expect(names()).toEqual(['.git', 'a', 'a.txt']);
  });

  it('may hold what nobody starts anything by', async () => {
    mkdirSync(at('M\xf6bel'));
    writeFileSync(at('M\xf6bel/b\xfcro.txt'), 'Tisch\n');
    const said = await shell(
      'python3',
      '-c',
      "import os\nopen(os.fsencode('M\\udcf6bel/neu.txt'), 'w').write('Stuhl')",
    );
    expect(said).not.toContain('protected');
    expect(readdirSync(at('M\xf6bel'), { encoding: 'latin1' }).sort()).toEqual(['b\xfcro.txt', 'neu.txt']);
  });

  it('ends a command before it begins where a person has a repository in it', async () => {
    mkdirSync(at('M\xf6bel'));
    mkdirSync(at('M\xf6bel/.git'));
    const said = await shell('touch', 'begun');
    expect(said).toContain('`M%F6bel` has a name that is no UTF-8');
    expect(names()).toEqual(['.git', 'M\xf6bel', 'a.txt']);
  });
});
