// @module-tag git
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { opened } from '../../../src/store/worktrees/branch.js';
import { filesAtBase, filesByCommit } from '../../../src/store/worktrees/changed-files.js';
import { mainPlace, treePlaces } from '../../../src/store/worktrees/places.js';
import { WorkProject } from '../helpers/work-project.js';

it('each commit of a run is told with the files that it left in another way, the first first', async () => {
  const project = new WorkProject({ 'a.txt': 'a\n', 'in/b c.txt': 'b\n', 'gone.txt': 'g\n' });
  await project.make();
  await project.work('one', { 'a.txt': 'one\n', 'new.txt': 'new\n' });
  await project.begin('two');
  rmSync(join(project.tree('two'), 'gone.txt'));
  await project.commit('two');
  const trees = await opened(project.state, 'r');
  const blob = (name: string): string => project.ours('rev-parse', `perdure/r:${name}`);
  const before = (name: string): string => project.ours('rev-parse', `${trees.made.base}:${name}`);
  expect(await filesAtBase(trees)).toEqual(
    ['a.txt', 'gone.txt', 'in/b c.txt'].map((path) => ({ path, blob: before(path) })),
  );
  expect(await filesByCommit(trees)).toMatchObject([
    {
      ...{ subject: 'does one', step: 'one' },
      files: [
        { path: 'a.txt', blob: blob('a.txt') },
        { path: 'new.txt', blob: blob('new.txt') },
      ],
    },
    { subject: 'does two', step: 'two', files: [{ path: 'gone.txt', blob: null }] },
  ]);
});

it('a run’s own tree is named from the state folder as it is in it', () => {
  expect(join('/state', mainPlace('a/b'))).toBe(treePlaces('/state', 'a/b').tree('main'));
  expect(treePlaces('/state', 'r').folder).toBe('/state/worktrees/r');
});
