// @module-tag sandbox
// @module-tag git
// @module-tag python3
import { mkdir, readFile, writeFile } from 'node:fs/promises';
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

  it('says which program is missing', async () => {
    context.permissions.commands.unshift({ words: 'no-such-program', class: 'safe' });
    expect(await shell(['no-such-program'])).toEqual({
      content: expect.stringContaining('Cannot find the program `no-such-program`'),
      is_error: true,
    });
  });
});
