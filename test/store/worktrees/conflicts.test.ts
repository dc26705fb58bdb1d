// @module-tag git
// @seconds 20
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Committed, Work } from '../../../src/store/worktrees/commit-tree.js';
import { beginWork, commitWork } from '../../../src/store/worktrees/commit-tree.js';
import { asIn } from '../../../src/store/worktrees/conflicts.js';
import { makeTrees, openTrees } from '../../../src/store/worktrees/make-trees.js';
import { treePlaces } from '../../../src/store/worktrees/places.js';

let project: string;
let state: string;
const shell = (cwd: string, script: string): string => execFileSync('sh', ['-ec', script], { cwd }).toString();

/** A project of these files, and two steps that began with it. */
beforeEach(async () => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'perdure-conflicts-')));
  state = join(project, '.perdure');
  mkdirSync(state);
  writeFileSync(join(state, '.gitignore'), '*\n');
  shell(
    project,
    `printf 'a\\0' > logo; echo t > text; echo o > old; ln -s text link; echo p > page; mkdir dir; echo d > dir/f`,
  );
  await makeTrees(state, { run: 'r', project, carry: [] });
  for (const name of ['one', 'two']) await beginWork(state, 'r', name);
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const treeOf = (name: string): string => treePlaces(state, 'r').tree(name);
const branch = (): string[] => {
  const cwd = treePlaces(state, 'r').git;
  return shell(cwd, 'git --git-dir=. ls-tree -r --name-only perdure/r').trim().split('\n');
};
let tried = 0;
/** Has a step change its files, and commits that. */
function commit(step: string, script: string, more: Partial<Work> = {}): Promise<Committed> {
  shell(treeOf(step), script);
  return commitWork(state, { run: 'r', tree: step, step, try: (tried += 1), subject: step, body: '', ...more });
}

/** What two steps do, where the later one's version stands then, and what the branch has where nothing is decided. */
it.each([
  ['change a file that is no text', `printf 'a\\0one' > logo`, `printf 'a\\0two' > logo`, 'logo~mine'],
  ['lead a link elsewhere', 'ln -sf page link', 'ln -sf old link', 'link~mine'],
  ['make a file and a link of one name', 'echo one > new', 'ln -s page new', 'new~others'],
  ['make two files of one name that are no text', `printf '\\0one' > new`, `printf '\\0two' > new`, 'new~mine'],
  [
    'make a folder of a file that the other changes',
    'rm page; mkdir page; echo in > page/in',
    'echo two >> page',
    'page~mine',
  ],
  [
    'change a file of which the other makes a folder',
    'echo one >> page',
    'rm page; mkdir page; echo in > page/in',
    'page~others',
  ],
])('shows both versions where two steps %s, and commits neither unseen', async (_what, one, two, aside) => {
  const path = aside.replace(/~.*/, '');
  expect(await commit('one', one)).toMatchObject({ kind: 'committed' });
  const conflict = { kind: 'conflict', conflicts: [{ path, kind: 'aside', aside }] };
  expect(await commit('two', two)).toMatchObject(conflict);
  expect(shell(treeOf('two'), 'ls')).toContain(aside);
  // Who does nothing about it has decided nothing.
  expect(await commit('two', 'echo more > more')).toMatchObject(conflict);
  expect(await commit('two', `rm ./${aside}`)).toMatchObject({ kind: 'committed' });
  expect(branch().filter((name) => name.includes('~'))).toEqual([]);
  expect(branch()).toContain('more');
});

it('takes the other version once it has the name, or the file once it was written anew', async () => {
  await commit('one', `printf 'a\\0one' > logo; ln -sf page link`);
  await commit('two', `printf 'a\\0two' > logo; ln -sf old link`);
  expect(await commit('two', `mv logo~mine logo; ln -sf page link`)).toMatchObject({
    kind: 'conflict',
    conflicts: [{ path: 'link' }],
  });
  expect(await commit('two', `ln -sf dir link`)).toMatchObject({ kind: 'committed' });
  expect(readFileSync(join(treeOf('main'), 'logo'), 'latin1')).toBe('a\0two');
  expect(branch()).not.toContain('link~mine');
  expect(shell(treeOf('main'), 'readlink link')).toBe('dir\n');
});

it('leaves a file of the project that has the name of the one beside', async () => {
  await commit('one', `printf 'a\\0one' > logo; echo kept > logo~mine`);
  expect(await commit('two', `printf 'a\\0two' > logo`)).toMatchObject({
    conflicts: [{ path: 'logo', aside: 'logo~mine~mine' }],
  });
  expect(await commit('two', 'mv logo~mine~mine logo')).toMatchObject({ kind: 'committed' });
  expect(readFileSync(join(treeOf('main'), 'logo~mine'), 'utf8')).toBe('kept\n');
});

it('tells a file that one step removed and another changed, and one with two new names', async () => {
  await commit('one', 'rm text; mv old older');
  expect(await commit('two', 'echo more >> text; mv old oldest')).toMatchObject({
    kind: 'conflict',
    conflicts: [
      { path: 'old', kind: 'renamed' },
      { path: 'older', kind: 'renamed' },
      { path: 'oldest', kind: 'renamed' },
      { path: 'text', kind: 'removed' },
    ],
  });
  expect(await commit('two', 'rm text older')).toMatchObject({ kind: 'committed' });
  expect(branch()).toEqual(['dir/f', 'link', 'logo', 'oldest', 'page']);
  expect(existsSync(join(treeOf('main'), 'text'))).toBe(false);
});

it('commits what is taken as it is: with its marks, and without what may not be committed', async () => {
  await commit('one', `printf 'a\\0one' > logo; echo one > text; rm page; mkdir page; echo in > page/in`);
  const left = `printf 'a\\0two' > logo; echo two > text; echo more > more; git init -q inner; echo i > inner/i`;
  expect(await commit('two', left)).toMatchObject({ kind: 'inside' });
  expect(
    await commit('two', 'rm -r inner/.git; git init -q other; rm -r dir; echo now > dir', { asItIs: false }),
  ).toMatchObject({ kind: 'inside' });
  const denies = (path: string): string | null => (path.startsWith('dir') ? `not ${path}` : null);
  expect(await commit('two', '', { denies, asItIs: true })).toMatchObject({ kind: 'committed' });
  expect(branch()).toEqual(['dir/f', 'inner/i', 'link', 'logo', 'more', 'old', 'page/in', 'text']);
  expect(readFileSync(join(treeOf('main'), 'text'), 'utf8')).toMatch(/^<{7} .*\none\n={7}\ntwo\n>{7} /);
  expect(readFileSync(join(treeOf('main'), 'logo'), 'latin1')).toBe('a\0one');
  expect(readFileSync(join(treeOf('main'), 'dir/f'), 'utf8')).toBe('d\n');
});

it.each([[['page', 'page/in', 'dir', 'dir/f']], [['dir/f', 'dir', 'page/in', 'page']]])(
  'brings files back over folders of their names, and folders over files: %j',
  async (paths) => {
    await commit('one', 'rm -r page dir; mkdir page; echo in > page/in; echo now > dir');
    const trees = (await openTrees(state, 'r'))!; // it is made
    const git = (words: string): string => shell(treePlaces(state, 'r').git, `git --git-dir=. ${words}`).trim();
    const [tree, from] = [git('rev-parse perdure/r^{tree}'), git('rev-parse perdure/r~1^{tree}')];
    expect(await asIn(trees, { tree, paths, from })).toBe(from);
    expect(await asIn(trees, { tree: from, paths, from: tree })).toBe(tree);
  },
);
