// @module-tag git
// @seconds 10
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appliedUntil, noteApplied } from '../../../src/store/worktrees/applied.js';
import type { Trees } from '../../../src/store/worktrees/branch.js';
import { addCommit, commitOf, commitsOf, messageOf, opened, removeLocks } from '../../../src/store/worktrees/branch.js';
import { EMPTY_TREE } from '../../../src/store/git/index-files.js';
import { makeTrees } from '../../../src/store/worktrees/make-trees.js';
import { mergeTrees, takeObjects, treeOf } from '../../../src/store/worktrees/merge.js';
import { setStart, startOf } from '../../../src/store/worktrees/tree-repository.js';

let root: string;
let state: string;
let trees: Trees;

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'perdure-branch-')));
  state = join(root, '.perdure');
  mkdirSync(state);
  writeFileSync(join(state, '.gitignore'), '*\n');
  for (const name of ['a', 'b']) writeFileSync(join(root, name), '1\n2\n3\n4\n5\n');
  trees = await make('r');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function make(run: string): Promise<Trees> {
  await makeTrees(state, { run, project: root, carry: [] });
  return opened(state, run);
}

const git = (...args: string[]): string =>
  execFileSync('git', ['--git-dir', trees.places.git, ...args], { stdio: 'pipe' })
    .toString()
    .trim();
/** A tree of these files. */
const treeWith = (files: Record<string, string>): string =>
  execFileSync('git', ['--git-dir', trees.places.git, 'mktree', '--missing'], {
    input: Object.entries(files)
      .map(([name, content]) => `100644 blob ${blob(content)}\t${name}\n`)
      .join(''),
  })
    .toString()
    .trim();
const blob = (content: string): string =>
  execFileSync('git', ['--git-dir', trees.places.git, 'hash-object', '-w', '--stdin'], { input: content })
    .toString()
    .trim();
const [BEFORE, MORE] = ['1\n2\n3\n4\n5\n', '1\n2\n3\n4\n5\nmore\n'];

describe('the message of a commit', () => {
  it('has a subject, what was said, and whose it is', () => {
    expect(messageOf('does it', 'Done.\nReally.', { run: 'r', step: 'a b/ü', try: 2, key: 'k', from: 'f' })).toBe(
      'does it\n\nDone.\nReally.\n\n' +
        'Perdure-Run: r\nPerdure-Step: a%20b/%C3%BC\nPerdure-Try: 2\nPerdure-Key: k\nPerdure-From: f\n',
    );
    expect(messageOf('does it', '', { run: 'r' })).toBe('does it\n\nPerdure-Run: r\n');
  });
});

describe('commits of a branch', () => {
  it('are told from the first, as they were made', async () => {
    const message = messageOf('one', 'Said.\n\nMore.', { run: 'r', step: 'a b', try: 1, key: 'k1' });
    const one = await addCommit(trees, EMPTY_TREE, trees.made.base, message);
    const second = messageOf('two', '', { run: 'r', step: 'c', try: 2, from: 'first' });
    const two = await addCommit(trees, await treeOf(trees, trees.made.base), one, second);
    const three = await addCommit(trees, EMPTY_TREE, two, messageOf('three', '', { run: 'r' }));
    const first = { commit: one, subject: 'one', body: 'Said.\n\nMore.', run: 'r', step: 'a%20b', try: '1', key: 'k1' };
    expect(await commitsOf(trees)).toEqual([
      { ...first, from: '' },
      { commit: two, subject: 'two', body: '', run: 'r', step: 'c', try: '2', key: '', from: 'first' },
      { commit: three, subject: 'three', body: '', run: 'r', step: '', try: '', key: '', from: '' },
    ]);
    expect((await commitsOf(trees, one)).map(({ commit }) => commit)).toEqual([one]);
    expect(git('show', '-s', '--format=%an %ae %cn %ce', one)).toBe(
      'Perdure perdure@localhost Perdure perdure@localhost',
    );
  });

  it('are none before the first', async () => {
    expect(await commitsOf(trees)).toEqual([]);
  });

  it('keep trailers that an agent has said among what it said', async () => {
    const body = 'Done.\n\nPerdure-Step: other\n\nAnd so on.';
    const made = messageOf('one', body, { run: 'r', step: 'own', try: 1 });
    await addCommit(trees, EMPTY_TREE, trees.made.base, made);
    expect(await commitsOf(trees)).toMatchObject([{ body, step: 'own', try: '1' }]);
  });

  it.each([
    ['of this run, step and try', {}, true],
    ['of another run', { run: 'other' }, false],
    ['of another step', { step: 'a' }, false],
    ['of another try', { try: 2 }, false],
  ])('are found by who asks for one %s: %s', async (_which, other, isFound) => {
    const commit = await addCommit(
      trees,
      EMPTY_TREE,
      trees.made.base,
      messageOf('one', '', { run: 'r', step: 'a b', try: 1 }),
    );
    expect(await commitOf(trees, { run: 'r', step: 'a b', try: 1, ...other })).toBe(isFound ? commit : null);
  });

  it('come on the tip alone, also where another came first', async () => {
    const one = await addCommit(trees, EMPTY_TREE, trees.made.base, messageOf('one', '', { run: 'r' }));
    await expect(addCommit(trees, EMPTY_TREE, trees.made.base, messageOf('late', '', { run: 'r' }))).rejects.toThrow(
      one,
    );
    expect((await commitsOf(trees)).map(({ subject }) => subject)).toEqual(['one']);
  });

  it('come again after locks that somebody has left were removed', async () => {
    const heads = join(trees.places.git, 'refs/heads/perdure');
    writeFileSync(join(heads, 'r.lock'), '');
    const commit = (): Promise<string> =>
      addCommit(trees, EMPTY_TREE, trees.made.base, messageOf('one', '', { run: 'r' }));
    await expect(commit()).rejects.toThrow('r.lock');
    await removeLocks(trees);
    expect(readdirSync(heads)).toEqual(['r']);
    await commit();
    rmSync(heads, { recursive: true });
    await removeLocks(trees);
    expect(readdirSync(heads)).toEqual([]);
  });
});

describe('a merge', () => {
  const merge = (mine: Record<string, string>, onto: Record<string, string>): ReturnType<typeof mergeTrees> =>
    mergeTrees(trees, { start: trees.made.base, tree: treeWith(mine), onto: treeWith(onto) });
  const objects = (): string => git('count-objects');

  it('has what both sides have changed, and leaves no commit', async () => {
    const merged = await merge({ a: MORE, b: BEFORE }, { a: `more\n${BEFORE}`, b: 'all\nnew\n' });
    expect(merged).toMatchObject({ conflicts: [], moved: [] });
    expect(git('show', `${merged.tree}:a`)).toBe(`more\n${MORE}`.trim());
    expect(git('show', `${merged.tree}:b`)).toBe('all\nnew');
    expect(git('fsck', '--unreachable', '--no-reflogs')).not.toContain('commit');
  });

  it('is one side’s files where the other has changed nothing', async () => {
    const mine = treeWith({ a: MORE, b: BEFORE });
    const onto = await treeOf(trees, trees.made.base);
    const before = objects();
    expect(await mergeTrees(trees, { start: trees.made.base, tree: mine, onto })).toEqual({
      tree: mine,
      conflicts: [],
      moved: [],
    });
    expect(objects()).toBe(before);
  });

  it('names the files that cannot be brought together, each once', async () => {
    const merged = await merge({ a: 'mine\n', b: 'mine\n' }, { a: 'theirs\n', b: 'theirs\n' });
    expect(merged).toMatchObject({ conflicts: ['a', 'b'], moved: [] });
    expect(git('show', `${merged.tree}:a`)).toMatch(/^<{7} .*\ntheirs\n={7}\nmine\n>{7} /);
    expect(git('fsck', '--unreachable', '--no-reflogs')).not.toContain('commit');
  });

  it('takes a file whose name looks like one that git has made for what it is', async () => {
    const name = `a~${'1'.repeat(40)}`;
    expect(await merge({ a: BEFORE, [name]: 'mine\n' }, { a: BEFORE, [name]: 'theirs\n' })).toMatchObject({
      conflicts: [name],
      moved: [],
    });
  });

  it('fails with what git says where it cannot read a file of both', async () => {
    const mine = treeWith({ a: 'mine\n', b: BEFORE });
    const onto = treeWith({ a: 'theirs\n', b: BEFORE });
    const lost = git('rev-parse', `${mine}:a`);
    rmSync(join(trees.places.git, 'objects', lost.slice(0, 2), lost.slice(2)));
    await expect(mergeTrees(trees, { start: trees.made.base, tree: mine, onto })).rejects.toThrow(lost);
    expect(git('fsck', '--unreachable', '--no-reflogs')).not.toContain('unreachable commit');
  });

  it('fails with what git says where there is no such tree', async () => {
    const tree = '1'.repeat(40);
    await expect(mergeTrees(trees, { start: trees.made.base, tree, onto: treeWith({ a: BEFORE }) })).rejects.toThrow(
      tree,
    );
  });
});

it('takes the objects of another run once, and nothing that it borrows', async () => {
  const other = await make('other');
  const theirs = execFileSync('git', ['--git-dir', other.places.git, 'hash-object', '-w', '--stdin'], {
    input: 'theirs',
  });
  const name = theirs.toString().trim();
  writeFileSync(join(other.places.git, 'objects/info/alternates'), '/elsewhere\n');
  await takeObjects(trees, other.places);
  expect(git('cat-file', '-p', name)).toBe('theirs');
  expect(existsSync(join(trees.places.git, 'objects/info/alternates'))).toBe(false);
  rmSync(join(trees.places.git, 'objects', name.slice(0, 2), name.slice(2)));
  await takeObjects(trees, other.places);
  expect(() => git('cat-file', '-e', name)).toThrow();
});

describe('what is noted of a run', () => {
  it('is the commit up to which the project has its work', async () => {
    expect(await appliedUntil(trees.places)).toBeNull();
    await noteApplied(trees.places, trees.made.base);
    expect(await appliedUntil(trees.places)).toBe(trees.made.base);
    const { base } = trees.made;
    for (const damaged of [base, `${base}x\n`, ` ${base}\n`, `${base}\n${base}\n`]) {
      writeFileSync(join(trees.places.folder, 'applied'), damaged);
      expect(await appliedUntil(trees.places)).toBeNull();
    }
  });

  it('is the commit that a tree began at', async () => {
    expect(await startOf(trees, 'main')).toBe(trees.made.base);
    expect(await startOf(trees, 'none')).toBeNull();
    await setStart(trees, 'main', '1'.repeat(40));
    expect(await startOf(trees, 'main')).toBe('1'.repeat(40));
    for (const damaged of ['1'.repeat(40), `x${'1'.repeat(40)}\n`, `${'1'.repeat(40)}\n\n`]) {
      writeFileSync(join(trees.places.admin('main'), 'start'), damaged);
      expect(await startOf(trees, 'main')).toBeNull();
    }
  });
});
