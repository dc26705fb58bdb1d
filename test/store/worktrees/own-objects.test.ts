// @module-tag git
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commitsOf, opened } from '../../../src/store/worktrees/branch.js';
import { beginWork, commitWork } from '../../../src/store/worktrees/commit-tree.js';
import { makeTrees } from '../../../src/store/worktrees/make-trees.js';
import { treePlaces } from '../../../src/store/worktrees/places.js';

let project: string;
let state: string;

beforeEach(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'perdure-own-')));
  state = join(project, '.perdure');
  mkdirSync(state);
  put('.perdure/.gitignore', '*\n');
  git('init', '--quiet', '--initial-branch=main');
  for (const key of ['user.name', 'user.email']) git('config', key, 'p@x');
  put('a.txt', 'a\n');
  git('add', '-A');
  git('commit', '--quiet', '-m', 'first');
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const git = (...args: string[]): string => execFileSync('git', args, { cwd: project, stdio: 'pipe' }).toString().trim();
const put = (name: string, content: string): void => writeFileSync(join(project, name), content);

/** Another history in place of the project's: of what it had, no object is there any more. */
function forgetAll(): void {
  git('checkout', '--quiet', '--orphan', 'other');
  git('rm', '-rfq', '--cached', '.');
  put('a.txt', 'another\n');
  git('add', 'a.txt');
  git('commit', '--quiet', '-m', 'other');
  git('branch', '-D', 'main');
  git('reflog', 'expire', '--expire=now', '--all');
  git('gc', '--quiet', '--prune=now');
}

/** What each path of a commit of the run holds. */
async function filesOf(commit: string): Promise<Record<string, string>> {
  const trees = await opened(state, 'r');
  const names = (await trees.git(['ls-tree', '-r', '--name-only', commit])).toString().trim().split('\n');
  const files: Record<string, string> = {};
  for (const name of names) files[name] = (await trees.git(['cat-file', 'blob', `${commit}:${name}`])).toString();
  return files;
}

async function work(files: Record<string, string>): Promise<void> {
  await beginWork(state, 'r', 's-one');
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(treePlaces(state, 'r').tree('s-one'), name), content);
  const done = { run: 'r', tree: 's-one', step: 'one', try: 1, subject: 'builder: one', body: '' };
  expect(await commitWork(state, done)).toMatchObject({ kind: 'committed' });
}

it.each([
  ['as its commit has them', (): void => undefined],
  [
    'with files that are staged and not committed',
    (): void => {
      put('staged.txt', 'staged\n');
      git('add', 'staged.txt');
    },
  ],
])('keeps the files it began with, %s, when the project has none of them any more', async (_how, prepare) => {
  prepare();
  const { base } = await makeTrees(state, { run: 'r', project, carry: [] });
  const before = await filesOf(base);
  await work({ 'b.txt': 'b\n' });
  forgetAll();
  expect(await filesOf(base)).toEqual(before);
  expect(await filesOf('perdure/r')).toEqual({ ...before, 'b.txt': 'b\n' });
  expect((await commitsOf(await opened(state, 'r'))).map(({ subject }) => subject)).toEqual(['builder: one']);
});

it('keeps what a step wrote that the project happened to have, too', async () => {
  await makeTrees(state, { run: 'r', project, carry: [] });
  put('same.txt', 'the same\n');
  git('add', 'same.txt');
  await work({ 'made.txt': 'the same\n' });
  git('rm', '-q', '--cached', 'same.txt');
  forgetAll();
  expect(await filesOf('perdure/r')).toEqual({ 'a.txt': 'a\n', 'made.txt': 'the same\n' });
});

it('copies nothing that it does not need', async () => {
  put('old.txt', 'old\n');
  git('add', '-A');
  git('commit', '--quiet', '-m', 'second');
  git('rm', '-q', 'old.txt');
  git('commit', '--quiet', '-m', 'third');
  await makeTrees(state, { run: 'r', project, carry: [] });
  await work({ 'b.txt': 'b\n' });
  forgetAll();
  const kept = execFileSync('git', ['cat-file', '--batch-all-objects', '--batch-check=%(objecttype)'], {
    cwd: treePlaces(state, 'r').git,
    env: { ...process.env, GIT_ALTERNATE_OBJECT_DIRECTORIES: '' },
  });
  // Two commits with their trees and blobs, but the other history that the project has now.
  expect(kept.toString().trim().split('\n').sort()).toEqual([
    ...['blob', 'blob', 'blob', 'commit', 'commit', 'commit', 'tree', 'tree', 'tree'],
  ]);
});

it('says what is missing where a run has no copy, and what there still is', async () => {
  await makeTrees(state, { run: 'r', project, carry: [] });
  await work({ 'b.txt': 'b\n' });
  rmSync(join(treePlaces(state, 'r').git, 'objects', 'pack'), { recursive: true });
  const before = await opened(state, 'r');
  await expect(before.git(['cat-file', 'blob', 'perdure/r:none.txt'])).rejects.toThrow(/^fatal: path 'none.txt'/);
  forgetAll();
  const { git: ours } = await opened(state, 'r');
  for (const words of [
    ['ls-tree', '-r', 'perdure/r^'],
    ['cat-file', 'blob', 'perdure/r:a.txt'],
  ])
    await expect(ours(words)).rejects.toThrow(
      "Git has removed files that `r` began with from the project's repository, and the run has no copy of them: " +
        'what it changed cannot be told any more. All files as it left them stand in ' +
        `\`${treePlaces(state, 'r').tree('main')}\`.`,
    );
});
