// @module-tag git
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeTrees } from '../../../src/store/worktrees/make-trees.js';
import { treePlaces } from '../../../src/store/worktrees/places.js';
import { RUN, createBench, failureOf, read, shell } from '../helpers/harness.js';

it('a command that was killed as its git had a lock leaves none to the next one in its work tree', async () => {
  const bench = await createBench();
  writeFileSync(join(bench.folder, 'a.txt'), 'a\n');
  const state = bench.store.folder ?? '';
  await makeTrees(state, { run: RUN, project: bench.folder, carry: [] });
  const places = treePlaces(state, RUN);
  const call = { workspace: places.tree('main') };
  const commit = "git -c user.name=a -c user.email=a@b -c core.editor='kill -9 $PPID; true' commit -a --allow-empty";
  await failureOf(shell(bench, commit, { call }));
  expect(existsSync(join(places.admin('main'), 'index.lock'))).toBe(true);
  const { output } = await shell(bench, 'echo b >> a.txt; git add -A && git diff --cached --name-only', { call });
  expect(await read(bench, output)).toBe('a.txt');
});
