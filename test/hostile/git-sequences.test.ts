// @module-tag sandbox
// @module-tag git
// @module-tag python3
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { callTool, toolContext } from '../activities/helpers/tool-context.js';

const WHO = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'core.editor=true'];

let context: Awaited<ReturnType<typeof toolContext>>;
let mark: string;
const git = (...args: string[]): Buffer => execFileSync('git', [...WHO, ...args], { cwd: context.workspace });
/** What a person calls; that it stops is no error here. */
const person = (...args: string[]): void => void spawnSync('git', [...WHO, ...args], { cwd: context.workspace });
const python = async (script: string): Promise<string> =>
  JSON.stringify(await callTool({ kind: 'builtin', name: 'shell' }, { argv: ['python3', '-c', script] }, context));

/** A program of the workspace that git takes for a way to merge. */
const EVIL = `import os
os.mkdir('git-merge-x')
open('git-merge-x/evil', 'w').write('#!/bin/sh\\ntouch MARK\\nexit 1\\n')
os.chmod('git-merge-x/evil', 0o755)
open('f', 'w').write('both')
`;

async function commit(name: string, text: string): Promise<void> {
  await writeFile(join(context.workspace, name), text);
  git('add', name);
  git('commit', '-q', '-m', `${name} is ${text}`);
}

beforeEach(async () => {
  context = await toolContext();
  mark = join(dirname(context.workspace), 'mark');
  git('init', '-q', '-b', 'main');
  await commit('f', 'base');
  git('checkout', '-q', '-b', 'other');
  await commit('f', 'other');
  await commit('g', 'more');
  git('checkout', '-q', 'main');
  await commit('f', 'main');
});

describe('what a person has begun with git, and an agent has a conflict of', () => {
  it.each([
    [
      'rebase',
      ['rebase', 'main', 'other'],
      "open('.git/rebase-merge/git-rebase-todo', 'a').write('exec touch MARK\\n')",
    ],
    ['rebase', ['rebase', 'main', 'other'], "open('.git/rebase-merge/strategy', 'w').write('x/evil')"],
    [
      'cherry-pick',
      ['cherry-pick', 'main..other'],
      "open('.git/sequencer/opts', 'w').write('[options]\\n\\tstrategy = x/evil\\n')",
    ],
  ])('starts nothing of the workspace when it goes on: %s', async (command, begin, script) => {
    person(...begin);
    await python(`${EVIL}${script}`.replaceAll('MARK', mark));
    git('add', 'f');
    person(command, '--continue');
    expect(existsSync(mark)).toBe(false);
    expect(git('log', '-1', '--format=%s').toString()).toBe('g is more\n');
  });

  it('is not begun by a command: what would go on is taken away', async () => {
    expect(await python("import os; os.mkdir('.git/rebase-merge'); os.mkdir('.git/sequencer')")).toContain(
      '`.git/rebase-merge`, `.git/sequencer` was made or changed, which is protected',
    );
  });
});

it('a command rebases a branch, where nothing stops it', async () => {
  git('branch', 'third', 'main~1');
  git('checkout', '-q', 'third');
  await commit('h', 'third');
  const argv = ['git', ...WHO, 'rebase', 'main'];
  const permissions = { ...context.permissions, allow: ['command'] };
  await callTool({ kind: 'builtin', name: 'shell' }, { argv }, { ...context, permissions });
  expect(git('log', '--format=%s').toString()).toBe('h is third\nf is main\nf is base\n');
});
