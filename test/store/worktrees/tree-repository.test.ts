// @module-tag git
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeFolder } from '../../../src/store/folders/remove.js';
import { opened } from '../../../src/store/worktrees/branch.js';
import { openTrees } from '../../../src/store/worktrees/make-trees.js';
import { treePlaces } from '../../../src/store/worktrees/places.js';
import { addTree, removeTree, setStart, startOf } from '../../../src/store/worktrees/tree-repository.js';
import { WorkProject } from '../helpers/work-project.js';

async function committed(): Promise<WorkProject> {
  const project = new WorkProject({ 'a.txt': 'a\n', 'in/b.txt': 'b\n' });
  project.commitAll();
  await project.make();
  return project;
}

it('a tree may be looked at with git, which tells what was changed there and on which commit it stands', async () => {
  const project = await committed();
  await project.begin('one');
  const at = (...args: string[]): string =>
    execFileSync('git', args, { cwd: project.tree('one'), stdio: 'pipe', encoding: 'utf8' });
  expect(at('status', '--porcelain')).toBe('');
  project.put('in/b.txt', 'more\n', project.tree('one'));
  project.put('new.txt', 'new\n', project.tree('one'));
  expect(at('status', '--porcelain')).toBe(' M in/b.txt\n?? new.txt\n');
  expect(at('log', '--format=%s')).toBe('first\n');
  expect(at('rev-parse', 'HEAD').trim()).toBe(await startOf(await opened(project.state, 'r'), 'one'));
  expect(at('worktree', 'list', '--porcelain')).toContain(`worktree ${project.tree('one')}\n`);
});

it('the trees of a run go along with a project that is moved', async () => {
  const project = await committed();
  await project.work('one', { 'a.txt': 'one\n' });
  const moved = `${project.folder}-moved`;
  renameSync(project.folder, moved);
  onTestFinished(() => removeFolder(moved));
  const trees = await openTrees(join(moved, '.perdure'), 'r');
  const read = async (name: string): Promise<string> =>
    ((await trees?.git(['cat-file', 'blob', name])) ?? '').toString();
  expect([await read('perdure/r:a.txt'), await read('perdure/r:in/b.txt')]).toEqual(['one\n', 'b\n']);
  expect((await trees?.git(['log', '--format=%s', 'perdure/r']))?.toString()).toBe('does one\nfirst\n');
});

it('a run’s files are its own: nobody else may look into its repository or its trees', async () => {
  const project = await committed();
  await project.begin('one');
  const { folder, git, trees } = treePlaces(project.state, 'r');
  const mode = (path: string): number => statSync(path).mode & 0o077;
  expect([folder, git, trees, project.tree('one'), project.places().admin('one')].map(mode)).toEqual([0, 0, 0, 0, 0]);
  expect(mode(join(project.places().admin('one'), 'start'))).toBe(0);
});

it('a tree that was left half made is made anew, and one that is removed leaves nothing', async () => {
  const project = await committed();
  const trees = await opened(project.state, 'r');
  await project.begin('one');
  project.put('half.txt', 'half\n', project.tree('one'));
  rmSync(join(project.places().admin('one'), 'start'));
  await project.begin('one');
  expect(readdirSync(project.tree('one')).sort()).toEqual(['.git', 'a.txt', 'in']);
  project.put('kept.txt', 'kept\n', project.tree('one'));
  await project.begin('one'); // as a step does that is tried again
  expect(existsSync(join(project.tree('one'), 'kept.txt'))).toBe(true);
  await removeTree(trees, 'one');
  expect([existsSync(project.tree('one')), existsSync(project.places().admin('one'))]).toEqual([false, false]);
  await removeTree(trees, 'one');
  rmSync(project.places().trees, { recursive: true });
  await removeTree(trees, 'main');
  await addTree(trees, 'main', trees.made.base);
  expect(project.read('in/b.txt')).toBe('b\n');
});

it('a tree’s commit is written whole, for us and for git', async () => {
  const project = await committed();
  const trees = await opened(project.state, 'r');
  await setStart(trees, 'main', '2'.repeat(40));
  const admin = project.places().admin('main');
  expect(readFileSync(join(admin, 'HEAD'), 'utf8')).toBe(`${'2'.repeat(40)}\n`);
  expect(readdirSync(admin).sort()).toEqual(['HEAD', 'commondir', 'gitdir', 'index', 'start']);
});

it(
  'what a project has committed before is read where it is, and nothing beside it',
  { tags: ['sandbox'] },
  async () => {
    const project = new WorkProject({ 'a.txt': 'before\n' });
    project.commitAll();
    project.put('a.txt', 'now\n');
    project.commitAll();
    await project.make();
    const blob = async (name: string): Promise<string> => {
      const { git } = await opened(project.state, 'r');
      return (await git(['cat-file', 'blob', name])).toString();
    };
    expect(await blob('perdure/r~1:a.txt')).toBe('before\n');
    const { git } = await opened(project.state, 'r');
    const beside = await git(['hash-object', '--no-filters', join(project.folder, 'a.txt')]).catch(() => 'not seen');
    expect(beside.toString()).toBe('not seen');
    // What the run began with it has itself.
    await removeFolder(join(project.folder, '.git'));
    expect(await blob('perdure/r:a.txt')).toBe('now\n');
    await expect(blob('perdure/r~1:a.txt')).rejects.toThrow();
  },
);
