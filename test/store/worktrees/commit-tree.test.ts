// @module-tag git
// @seconds 10
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { opened } from '../../../src/store/worktrees/branch.js';
import { commitWork } from '../../../src/store/worktrees/commit-tree.js';
import { doneBy } from '../../../src/store/worktrees/done-work.js';
import { filesInTree } from '../../../src/store/worktrees/left-files.js';
import { WorkProject } from '../helpers/work-project.js';

const FILES = { 'a.txt': 'a\n', 'b.txt': 'b\n', page: 'p\n' };

async function begun(files: Record<string, string> = FILES, carry: string[] = []): Promise<WorkProject> {
  const project = new WorkProject(files);
  await project.make(carry);
  return project;
}

describe('what others left in the run’s own tree', () => {
  it('stays where a commit says nothing of it', async () => {
    const project = await begun();
    project.put('b.txt', 'by a step without a commit\n', project.tree());
    project.put('left.txt', 'left\n', project.tree());
    expect(await project.work('one', { 'a.txt': 'one\n' })).toMatchObject({ kind: 'committed' });
    expect(['a.txt', 'b.txt', 'left.txt'].map((name) => project.read(name))).toEqual([
      'one\n',
      'by a step without a commit\n',
      'left\n',
    ]);
  });

  it('gives way where a commit says something else of the same file', async () => {
    const project = await begun();
    for (const name of ['a.txt', 'new.txt']) project.put(name, 'by a step without a commit\n', project.tree());
    await project.work('one', { 'a.txt': 'one\n', 'new.txt': 'new\n' });
    expect([project.read('a.txt'), project.read('new.txt')]).toEqual(['one\n', 'new\n']);
  });

  it('is all that stands there; nothing where the tree is gone', async () => {
    const project = await begun();
    project.put('left.txt', 'left\n', project.tree());
    const trees = await opened(project.state, 'r');
    const left = await filesInTree(trees);
    expect(project.ours('ls-tree', '--name-only', left?.tree ?? '')).toBe('a.txt\nb.txt\nleft.txt\npage');
    rmSync(project.places().admin('main'), { recursive: true });
    expect(await filesInTree(trees)).toBeNull();
  });
});

it('what a step writes where the project has its state is no work, though no pattern ignores it', async () => {
  const project = await begun();
  const files = { '.perdure/values/x': 'x\n', '.perdure/keys': 'k\n', 'a.txt': 'one\n', '.gitignore': '!.perdure\n' };
  expect(await project.work('one', files)).toMatchObject({ kind: 'committed' });
  expect(project.ours('ls-tree', '-r', '--name-only', 'perdure/r')).toBe('.gitignore\na.txt\nb.txt\npage');
});

describe('a step that may not change all files', () => {
  it('commits nothing where it changed another, and is told why of each', async () => {
    const project = await begun();
    const asked: string[] = [];
    const denies = (path: string): string | null => {
      asked.push(path);
      return path === 'a.txt' ? null : `not ${path}`;
    };
    const changes = { 'a.txt': 'one\n', 'b.txt': 'one\n', 'in/c.txt': 'c\n' };
    expect(await project.work('one', changes, { denies })).toEqual({
      kind: 'denied',
      reasons: ['not b.txt', 'not in/c.txt'],
    });
    expect(asked).toEqual(['a.txt', 'b.txt', 'in/c.txt']);
    expect(await project.commit('one', { denies, asItIs: true })).toMatchObject({ kind: 'committed' });
    expect(['a.txt', 'b.txt'].map((name) => project.read(name))).toEqual(['one\n', 'b\n']);
    expect(existsSync(join(project.tree(), 'in'))).toBe(false);
  });

  it('leaves a file that it may not change where it made a folder of it', async () => {
    const project = await begun();
    await project.begin('one');
    rmSync(join(project.tree('one'), 'page'));
    mkdirSync(join(project.tree('one'), 'page'));
    project.put('page/in', 'in\n', project.tree('one'));
    project.put('a.txt', 'one\n', project.tree('one'));
    const denies = (path: string): string | null => (path.startsWith('page') ? `not ${path}` : null);
    expect(await project.commit('one', { denies, asItIs: true })).toMatchObject({ kind: 'committed' });
    expect([project.read('a.txt'), project.read('page')]).toEqual(['one\n', 'p\n']);
  });
});

describe('what a step came to', () => {
  it('is kept by the key of its work, also where nothing had changed, and as it was first', async () => {
    const project = await begun();
    const places = project.places();
    const start = project.ours('rev-parse', 'perdure/r');
    const one = await project.work('one', { 'a.txt': 'one\n' }, { key: 'k-one', output: { value: 1 } });
    const commit = one.kind === 'committed' ? one.commit : '';
    expect(await doneBy(places, 'k-one')).toEqual({ start, commit, output: { value: 1 } });
    expect(await project.commit('one', { key: 'k-one' })).toEqual(one);
    expect(await doneBy(places, 'k-one')).toEqual({ start, commit, output: { value: 1 } });
    expect(await project.work('none', {}, { key: 'k-none' })).toEqual({ kind: 'unchanged' });
    expect(await doneBy(places, 'k-none')).toEqual({ start: commit, commit: null, output: null });
    await project.work('unkept', { 'b.txt': 'more\n' });
    expect(readdirSync(join(places.folder, 'done')).sort()).toEqual(['k-none.json', 'k-one.json']);
    expect(await doneBy(places, 'k-unkept')).toBeNull();
    expect(readdirSync(places.trees)).toEqual(['main']);
  });

  it('is found again where nothing had changed, and a worker was lost while it removed the tree', async () => {
    const project = await begun();
    await project.work('none', {}, { key: 'k-none' });
    project.put('left/half', 'half\n', project.tree('none'));
    expect(await project.commit('none', { key: 'k-none' })).toEqual({ kind: 'unchanged' });
    expect(existsSync(project.tree('none'))).toBe(false);
    await expect(project.commit('none', { key: 'k-other' })).rejects.toThrow('are not there any more');
  });

  it('is nothing where another has done the same meanwhile', async () => {
    const project = await begun();
    await project.begin('two');
    await project.work('one', { 'a.txt': 'same\n' });
    project.put('a.txt', 'same\n', project.tree('two'));
    expect(await project.commit('two')).toEqual({ kind: 'unchanged' });
    expect(project.ours('rev-list', '--count', 'perdure/r')).toBe('2');
  });

  it('cannot be told where its tree is gone', async () => {
    const project = await begun();
    await expect(project.commit('never')).rejects.toThrow('The work trees of `r` are not there any more.');
  });
});

describe('commits of several at once', () => {
  it('wait for who holds the lease', async () => {
    const project = await begun();
    const work = { run: 'r', tree: 'one', step: 'one', try: 1, subject: 'one', body: '' };
    await project.begin('one');
    await expect(commitWork(project.state, work, project.hold())).rejects.toThrow('It waits for who holds the lease.');
  });

  it.each(['refs/heads/perdure/r.lock', 'HEAD.lock'])(
    'go on past %s of one that was killed, and past no others',
    async (name) => {
      const project = await begun({ ...FILES, '.gitignore': 'nm\n', 'nm/x': 'x' }, ['nm']);
      const lock = (): void => project.put(name, '', project.places().git);
      lock();
      await expect(project.work('one', { 'a.txt': 'one\n' })).rejects.toThrow(name);
      project.loseLease();
      expect(await project.commit('one')).toMatchObject({ kind: 'committed' });
      lock();
      project.loseLease('r', 2000);
      // Whoever has the lease next gives it back, and nobody sees any more that it was lost.
      await project.begin('two');
      expect(existsSync(join(project.places().git, name))).toBe(false);
    },
  );
});
