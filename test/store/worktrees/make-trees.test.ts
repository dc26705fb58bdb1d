// @module-tag git
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTrees } from '../../../src/store/worktrees/make-trees.js';
import { WorkProject } from '../helpers/work-project.js';

describe('the work trees of a run', () => {
  it('ignore what the project’s repository ignores, and the folders that go along', async () => {
    const project = new WorkProject({ 'a.txt': 'a\n', 'libs/x.js': 'x\n' });
    project.commitAll();
    project.put('.git/info/exclude', 'private\n');
    await project.make(['libs']);
    expect(readFileSync(join(project.places().git, 'info', 'exclude'), 'utf8')).toBe('private\n\n/libs\n');
    expect(await project.work('one', { private: 'key\n', 'libs/y.js': 'y\n', 'b.txt': 'b\n' })).toMatchObject({
      kind: 'committed',
    });
    expect(project.ours('log', '-1', '--format=', '--name-only', 'perdure/r')).toBe('b.txt');
  });

  it('begin a history of their own in a folder of a larger repository, whose ignored files they leave', async () => {
    const above = new WorkProject({ 'app/a.txt': 'a\n', 'app/private': 'key\n', '.gitignore': '.perdure\n' });
    above.commitAll();
    above.put('.git/info/exclude', 'private\n');
    const app = join(above.folder, 'app');
    const made = await makeTrees(join(app, '.perdure'), { run: 'r', project: app, carry: [] });
    expect(made.parent).toBeNull();
    expect(readdirSync(join(app, '.perdure/worktrees/r/trees/main')).sort()).toEqual(['.git', 'a.txt']);
  });

  it('are made anew where a maker that was killed has left some', async () => {
    const project = new WorkProject({ 'a.txt': 'a\n' });
    project.put('refs/heads/perdure/r.lock', '', project.places().git);
    project.put('half.txt', 'half\n', project.tree());
    project.put('half.txt', 'half\n', project.tree('other'));
    await project.make();
    expect(readdirSync(project.places().trees)).toEqual(['main']);
    expect(existsSync(join(project.tree(), 'half.txt'))).toBe(false);
  });

  it('are made by one at a time', async () => {
    const project = new WorkProject({ 'a.txt': 'a\n' });
    const source = { run: 'r', project: project.folder, carry: [] };
    await expect(makeTrees(project.state, source, project.hold())).rejects.toThrow('It waits for who holds the lease.');
  });

  it('begin on the commit of a project whose history was cut off', async () => {
    const whole = new WorkProject({ 'a.txt': 'a\n' });
    whole.commitAll();
    whole.put('a.txt', 'second\n');
    whole.commitAll('second');
    const project = new WorkProject({});
    const clone = join(project.folder, 'clone');
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${whole.folder}`, clone], { stdio: 'pipe' });
    const head = whole.git('rev-parse', 'HEAD');
    const state = join(clone, '.perdure');
    expect(await makeTrees(state, { run: 'r', project: clone, carry: [] })).toMatchObject({ base: head, parent: head });
    const git = (...args: string[]): string =>
      execFileSync('git', ['--git-dir', join(state, 'worktrees/r/repository'), ...args], { encoding: 'utf8' });
    expect(git('log', '--format=%s', 'perdure/r')).toBe('second\n');
    expect(git('fsck', '--no-dangling')).toBe('');
  });

  it('take no file for the objects of a repository', async () => {
    const project = new WorkProject({ 'a.txt': 'a\n' });
    project.commitAll();
    const moved = join(project.folder, '.git', 'elsewhere');
    renameSync(join(project.folder, '.git', 'objects'), moved);
    symlinkSync(moved, join(project.folder, '.git', 'objects'));
    expect((await project.make()).parent).toBeNull();
    expect(project.read('a.txt')).toBe('a\n');
  });
});

describe('work that an earlier run has built', () => {
  it('is told by its first five files where it does not fit, with what to do', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const all = (content: string): Record<string, string> =>
      Object.fromEntries(names.map((name) => [name, `${content}\n`]));
    const project = new WorkProject(all('x'));
    await project.make();
    await project.work('one', all('built'));
    for (const [name, content] of Object.entries(all('mine'))) project.put(name, content);
    await expect(project.make([], 'r', 'next')).rejects.toThrow(
      'What `r` has built does not fit what stands in the project now: `a`, `b`, `c`, `d`, `e`. ' +
        'Put your changes aside, or apply it first.',
    );
    expect(existsSync(join(project.places('next').folder, 'made.json'))).toBe(false);
  });
});
