// @module-tag git
import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SANDBOX_PROGRAMS } from '../../src/store/processes/bare-sandbox.js';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';

/*
 * Where a machine has no sandbox, commands that only read run without one. What they read is named by their arguments,
 * and nothing that an agent wrote into a file makes them read, or start, something else.
 */

const SECRET = 'canary-of-the-host';
const programs = [...SANDBOX_PROGRAMS];
let context: Awaited<ReturnType<typeof toolContext>>;
let outside: string;

beforeAll(() => void SANDBOX_PROGRAMS.splice(0));
afterAll(() => void SANDBOX_PROGRAMS.push(...programs));
beforeEach(async () => {
  context = await toolContext();
  outside = join(dirname(context.workspace), 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'key'), `${SECRET}\n`);
  await writeFile(join(outside, 'config.json'), JSON.stringify({ auth: SECRET }));
});

/** Has an agent write a file, as it may, and say a command; gives all that it was told. */
async function told(files: Record<string, string>, argv: string[], cwd = '.'): Promise<string> {
  for (const [path, content] of Object.entries(files))
    await callTool({ kind: 'builtin', name: 'write_file' }, { path, content }, context);
  return JSON.stringify(await callTool({ kind: 'builtin', name: 'shell' }, { argv, cwd }, context));
}

describe('a command that reads without a sandbox', () => {
  it('runs', async () => {
    expect(await told({ 'a.txt': 'one\n' }, ['cat', 'a.txt'])).toContain('one');
    expect(await told({ 'src/a.txt': 'one\n' }, ['grep', '-rn', 'one', '.'], 'src')).toContain('a.txt:1');
  });

  it.each<[way: string, argv: string[], cwd?: string]>([
    ['the program of jq', ['jq', '-n', 'import "config" as $c {search: "OUT"}; $c']],
    ['a program of jq in a file', ['jq', '-n', '-f', 'list']],
    ['a program of jq that includes', ['jq', '-n', 'include "lib"; leak']],
    ['arguments in a file', ['strings', '@list']],
    ['names in a file, for wc', ['wc', '--files0-from=list']],
    ['names in a file, for du', ['du', '-b', '--files0-from=list']],
    ['sums in a file', ['md5sum', '-c', 'sums']],
    ['sums in a file, in full', ['sha256sum', '--check', 'sums']],
    ['a link of a person, on the way down', ['grep', '-R', '.', '.'], 'a'],
    ['a link of a person, compared with its like', ['diff', '-r', 'a', 'b'], 'c'],
    ['a link of a person, in one word with its option', ['grep', '-vflink/key', 'list']],
    ['a word that leads out', ['ls', '../outside']],
  ])('is not led outside by %s', async (_way, argv, cwd = '.') => {
    const files = {
      list: argv[0] === 'jq' ? `import "config" as $c {search: "${outside}"}; $c` : join(outside, 'key'),
      'c/b/x/key': 'another\n',
      'lib.jq': `import "config" as $c {search: "${outside}"}; def leak: $c;`,
      sums: `d41d8cd98f00b204e9800998ecf8427e  ${outside}/key\n`,
    };
    await mkdir(join(context.workspace, 'c', 'a'), { recursive: true });
    await mkdir(join(context.workspace, 'a'));
    await symlink(outside, join(context.workspace, 'link'));
    for (const folder of ['a', 'c/a']) await symlink(outside, join(context.workspace, folder, 'x'));
    const said = await told(
      files,
      argv.map((word) => word.replace('OUT', outside)),
      cwd,
    );
    expect(said).not.toContain(SECRET);
    expect(said).not.toContain(`${outside}/key:`);
    expect(said).not.toMatch(new RegExp(`"stdout":"[^"]*${outside}`));
  });

  it.each(['git log -p', 'git show', 'git diff HEAD', 'git status', 'git blame a.txt', 'git grep x'])(
    'starts nothing that a repository names which an agent wrote: %s',
    async (command) => {
      const { workspace } = context;
      const git = (...args: string[]): string =>
        execFileSync('git', ['-C', workspace, ...args])
          .toString()
          .trim();
      git('init', '-q', '-b', 'main');
      git('config', 'user.email', 'a@example.org');
      git('config', 'user.name', 'a');
      await writeFile(join(workspace, 'a.txt'), 'x\n');
      git('add', '.');
      git('commit', '-qm', 'a');
      const mark = join(outside, 'mark');
      const evil = `sh -c 'touch ${mark}; cat' --`;
      const planted = {
        'sub/HEAD': 'ref: refs/heads/main\n',
        'sub/refs/heads/main': `${git('rev-parse', 'HEAD')}\n`,
        'sub/objects/info/alternates': '../../.git/objects\n',
        'sub/info/attributes': '* diff=x filter=x\n',
        'sub/config':
          `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = ${evil}\n` +
          `[diff "x"]\n\ttextconv = "${evil}"\n[filter "x"]\n\tclean = "${evil}"\n[log]\n\tshowSignature = true\n` +
          `[gpg]\n\tprogram = ${mark}\n`,
      };
      await told(planted, command.split(' '), 'sub');
      expect(existsSync(mark)).toBe(false);
    },
  );
});
