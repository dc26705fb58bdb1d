import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { outsideFirst, outsidePath } from '../../../src/store/processes/search-path.js';

let folder: string;
let workspace: string;
const inFolder = (...names: string[]): string[] => names.map((name) => join(folder, name));
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perdure-path-'));
  workspace = join(folder, 'work');
  for (const name of inFolder('work/bin', 'other/node_modules/.bin', 'tools', 'work-tools'))
    await mkdir(name, { recursive: true });
  await symlink(join(workspace, 'bin'), join(folder, 'link'));
  await symlink(join(folder, 'other/node_modules/.bin'), join(folder, 'packages'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('what an agent may write is in no path of ours, and comes last in that of people', () => {
  const inside = ['.', '', 'bin', ...inFolder('work', 'work/bin', 'work/gone', 'link', 'packages', 'a/node_modules/b')];
  const outside = inFolder('tools', 'work-tools', 'gone');
  const path = [...inside, ...outside].join(delimiter);
  expect(outsidePath(path, workspace).split(delimiter)).toEqual(outside);
  expect(outsideFirst(path, workspace).split(delimiter)).toEqual([...outside, ...inside.filter((name) => name !== '')]);
});

it('without a workspace only packages and relative folders are in no path of ours', () => {
  const path = ['.', ...inFolder('work/bin', 'packages', 'link')].join(delimiter);
  expect(outsidePath(path, null).split(delimiter)).toEqual(inFolder('work/bin', 'link'));
});

it('a workspace that is the home folder, or above it, hides only packages', () => {
  const path = [join(homedir(), 'bin'), join(homedir(), 'node_modules/.bin')].join(delimiter);
  for (const root of [homedir(), dirname(homedir())]) expect(outsidePath(path, root)).toBe(join(homedir(), 'bin'));
});

it('no PATH is an empty one', () => {
  expect([outsidePath(undefined, workspace), outsideFirst('', workspace)]).toEqual(['', '']);
});
