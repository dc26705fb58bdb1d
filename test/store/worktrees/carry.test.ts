// @module-tag git
// @seconds 12
import { chmodSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WorkProject } from '../helpers/work-project.js';

const MANY = Array.from({ length: 400 }, (_, index) => `nm/d${index % 20}/f${index}`);

async function carrying(files: string[], carry: string[]): Promise<WorkProject> {
  const project = new WorkProject({ 'a.txt': 'a\n', ...Object.fromEntries(files.map((file) => [file, 'x'])) });
  project.put('.gitignore', carry.map((path) => `${path}\n`).join(''));
  project.commitAll();
  await project.make(carry);
  return project;
}

const filesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;

describe('folders that go from tree to tree', () => {
  it('are whole in the tree of each step that begins while others commit', async () => {
    const project = await carrying(MANY, ['nm']);
    const begun: Promise<number>[] = [];
    for (let round = 0; round < 4; round += 1) {
      const [one, other] = [`one${round}`, `other${round}`];
      await project.begin(one);
      const committing = project.commit(one);
      begun.push(project.begin(other).then(() => filesIn(join(project.tree(other), 'nm'))));
      await committing;
    }
    expect(await Promise.all(begun)).toEqual(begun.map(() => MANY.length));
  });

  it('are in a tree before a step works there: where they could not be copied, the next try has no less', async () => {
    const project = await carrying(['lib/cache/x'], ['lib/cache']);
    await project.begin('links');
    rmSync(join(project.tree('links'), 'lib'), { recursive: true });
    symlinkSync('/nowhere', join(project.tree('links'), 'lib'));
    const fault = '`lib/cache` could not be copied';
    await expect(project.commit('links')).rejects.toThrow(fault); // once it is committed
    await expect(project.begin('next')).rejects.toThrow(fault);
    await expect(project.begin('next')).rejects.toThrow(fault);
    project.ours('update-ref', 'refs/heads/perdure/r', 'perdure/r^');
    await project.begin('next');
    expect(project.read('lib/cache/x', 'next')).toBe('x');
  });

  it('leave nothing of a copy that was cut short in the run’s own tree, and in no commit', async () => {
    const project = await carrying(['nm/x'], ['nm']);
    rmSync(join(project.tree(), 'nm'), { recursive: true });
    for (const tree of ['main', 'one']) {
      if (tree !== 'main') await project.begin(tree);
      project.put('.perdure-copying/half', 'half', project.tree(tree));
    }
    expect(await project.commit('one')).toEqual({ kind: 'unchanged' });
    expect(readdirSync(project.tree()).sort()).toEqual(['.git', '.gitignore', 'a.txt', 'nm']);
    expect(project.read('nm/x')).toBe('x');
  });

  it('are those of the last step that committed, also where one before was killed as it put them there', async () => {
    const project = await carrying(['nm/x'], ['nm']);
    const carried = join(project.places().folder, 'carried');
    project.put('nm/y', 'y', project.tree());
    await project.begin('one');
    project.put('nm/z', 'z', project.tree('one'));
    project.put('.perdure-earlier-nm/old', 'old', carried);
    rmSync(join(carried, 'nm'), { recursive: true });
    await project.commit('one');
    expect(readdirSync(carried)).toEqual(['nm']);
    expect(readdirSync(join(carried, 'nm'))).toEqual(['x', 'z']);
    expect(lstatSync(join(project.tree(), 'nm/y')).isFile()).toBe(true);
  });

  it('are in the tree of a step that begins after another was killed between its two renames, and stay', async () => {
    const project = await carrying(['lib/nm/x', 'lib/pm/y'], ['lib/nm', 'lib/pm']);
    const lib = join(project.places().folder, 'carried/lib');
    for (const name of ['nm', 'pm']) renameSync(join(lib, name), join(lib, `.perdure-earlier-${name}`));
    await project.begin('next');
    expect([project.read('lib/nm/x', 'next'), project.read('lib/pm/y', 'next')]).toEqual(['x', 'x']);
    rmSync(join(project.tree('next'), 'lib/pm'), { recursive: true });
    await project.commit('next');
    expect(readdirSync(lib).sort()).toEqual(['nm', 'pm']);
    await project.begin('last');
    expect([project.read('lib/nm/x', 'last'), project.read('lib/pm/y', 'last')]).toEqual(['x', 'x']);
  });

  it('go on from a tree whose folders a step has closed for writing', async () => {
    const project = await carrying(['lib/nm/x'], ['lib/nm']);
    await project.begin('one');
    project.put('lib/nm/z', 'z', project.tree('one'));
    for (const folder of ['lib/nm', 'lib', '.']) chmodSync(join(project.tree('one'), folder), 0o555);
    expect(await project.commit('one')).toEqual({ kind: 'unchanged' });
    await project.begin('two');
    expect(project.read('lib/nm/z', 'two')).toBe('z');
  });

  it('are put nowhere else by a link that went along in one above them', async () => {
    const project = await carrying(['a/b/c/x'], ['a/b/c', 'a']);
    const outside = join(project.folder, 'outside');
    mkdirSync(join(outside, '.perdure-earlier'), { recursive: true });
    await project.begin('links');
    rmSync(join(project.tree('links'), 'a/b'), { recursive: true });
    symlinkSync(outside, join(project.tree('links'), 'a/b'));
    await project.commit('links');
    const tree = project.tree('two');
    await project.begin('two').catch(() => undefined);
    expect(lstatSync(join(tree, 'a/b')).isSymbolicLink()).toBe(true);
    rmSync(join(tree, 'a/b'));
    project.put('a/b/c/made', 'made', tree);
    await project.commit('two').catch(() => undefined);
    expect(readdirSync(outside)).toEqual(['.perdure-earlier']);
  });
});
