// @module-tag sandbox
// @module-tag git
// @module-tag python3
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findSandbox } from '../../../src/activities/tools/shell/sandbox.js';
import type { JsonObject } from '../../../src/plan/values/json.js';
import { callTool, toolContext } from '../helpers/tool-context.js';

let context: Awaited<ReturnType<typeof toolContext>>;
beforeEach(async () => {
  context = await toolContext();
});

const shell = (argv: string[], more: JsonObject = {}): ReturnType<typeof callTool> =>
  callTool({ kind: 'builtin', name: 'shell' }, { argv, ...more }, context);
const inWorkspace = (...parts: string[]): string => join(context.workspace, ...parts);

describe('the shell tool', () => {
  it('has a sandbox on the machines that test it', async () => {
    expect(await findSandbox()).not.toBeNull();
  });

  it('runs a program without a shell, and gives its exit code and what it wrote', async () => {
    expect(await shell(['echo', '$HOME', '&&', '*'])).toEqual({
      content: { exit_code: 0, stdout: '$HOME && *\n', stderr: '' },
      is_error: false,
    });
    expect(await shell(['cat', 'missing'])).toMatchObject({
      content: { exit_code: 1, stderr: expect.stringContaining('missing') },
    });
    expect(await shell(['wc', '-c'], { stdin: 'abc' })).toMatchObject({ content: { stdout: '3\n' } });
  });

  it('lets a program of the workspace class change the workspace, from a folder of it', async () => {
    await mkdir(inWorkspace('src'));
    await writeFile(
      inWorkspace('src', 'make.mjs'),
      "import { writeFileSync } from 'node:fs'; writeFileSync('made.txt', process.cwd());",
    );
    expect(await shell(['node', 'make.mjs'], { cwd: 'src' })).toMatchObject({ content: { exit_code: 0 } });
    expect(await readFile(inWorkspace('src', 'made.txt'), 'utf8')).toBe(inWorkspace('src'));
    expect(await shell(['cat', inWorkspace('src', 'made.txt')], { cwd: 'src' })).toMatchObject({
      content: { exit_code: 0 },
    });
  });

  it('lets git commit, and not change what git starts', async () => {
    execFileSync('git', ['init', '-q', context.workspace]);
    await writeFile(inWorkspace('a.txt'), 'a');
    expect(await shell(['git', 'add', 'a.txt'])).toMatchObject({ content: { exit_code: 0 } });
    expect(await shell(['python3', '-c', "open('.git/config', 'a').write('[core]')"])).toMatchObject({
      content: { stderr: expect.stringContaining('Read-only') },
    });
    expect(await shell(['mv', '.git', 'other'])).toMatchObject({ content: { exit_code: 1 } });
    expect(await shell(['git', 'status', '--short'])).toMatchObject({ content: { stdout: 'A  a.txt\n' } });
  });

  it('lets a program write nowhere but under `writable`, whose folders are made for it', async () => {
    context.permissions = { ...context.permissions, writable: ['src/', 'a.txt'], protected: ['/src/kept/'] };
    execFileSync('git', ['init', '-q', context.workspace]);
    await writeFile(inWorkspace('a.txt'), 'a');
    await writeFile(inWorkspace('b.txt'), 'b');
    const program = [
      'import os',
      "for path in ['src/new', 'a.txt', 'b.txt', 'c.txt', '.git/x', 'src/kept/x', 'tests/x']:",
      '  try:',
      "    os.makedirs(os.path.dirname(path) or '.', exist_ok=True)",
      "    open(path, 'w').write('x')",
      "    print(path, 'written')",
      '  except OSError as error:',
      '    print(path, error.errno)',
    ].join('\n');
    const READ_ONLY = 30;
    expect(await shell(['python3', '-c', program])).toMatchObject({
      content: {
        stdout: ['src/new written', 'a.txt written', 'b.txt', 'c.txt', '.git/x', 'src/kept/x', 'tests/x']
          .map((line) => (line.includes(' ') ? line : `${line} ${READ_ONLY}`))
          .concat('')
          .join('\n'),
      },
    });
  });

  it('keeps a program from a protected folder that is missing, and loses nothing that others write there', async () => {
    context.permissions = { ...context.permissions, protected: ['/tests/'] };
    const running = shell(['python3', '-c', "import time; time.sleep(1); open('tests/mine', 'w')"]);
    await expect.poll(() => existsSync(inWorkspace('tests'))).toBe(true);
    await writeFile(inWorkspace('tests', 'theirs.txt'), 'x');
    expect(await running).toMatchObject({ content: { stderr: expect.stringContaining('Read-only') } });
    expect(await readFile(inWorkspace('tests', 'theirs.txt'), 'utf8')).toBe('x');
  });

  it('ends a program that takes too long, and one that writes without end', async () => {
    expect(await shell(['python3', '-c', 'while True: pass'], { timeout_s: 1 })).toEqual({
      content: 'The program did not end within 1 s.',
      is_error: true,
    });
    expect(await shell(['python3', '-c', "while True: print('x' * 1000)"])).toEqual({
      content: expect.stringContaining('it wrote more than 10 MiB'),
      is_error: true,
    });
  });

  it.each([
    ['is not there', 'nowhere'],
    ['is a file', 'file'],
  ])('says that it runs in no folder that %s', async (_how, cwd) => {
    await writeFile(inWorkspace('file'), '');
    expect(await shell(['pwd'], { cwd })).toMatchObject({ is_error: true });
  });

  it('says which program is missing', async () => {
    context.permissions.commands.unshift({ words: 'no-such-program', class: 'safe' });
    expect(await shell(['no-such-program'])).toEqual({
      content: expect.stringContaining('Cannot find the program `no-such-program`'),
      is_error: true,
    });
  });
});
