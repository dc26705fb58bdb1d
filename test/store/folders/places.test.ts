import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isBelow, locate, placeOf, realOf } from '../../../src/store/folders/places.js';
import { temporaryFolder } from '../helpers/harness.js';

it('a path is carried from the state folder, links resolved, and found again from where that is now', async () => {
  const root = realpathSync(await temporaryFolder());
  for (const name of ['p/.perdure', 'p/src', 'q/.perdure']) mkdirSync(join(root, name), { recursive: true });
  symlinkSync(join(root, 'p'), join(root, 'link'));
  const store = { folder: join(root, 'link/.perdure') };
  expect([placeOf(store, join(root, 'link/src')), placeOf(store, store.folder)]).toEqual(['../src', '.']);
  expect(placeOf(store, join(root, 'p/none'))).toBe('../none');
  expect(locate({ folder: join(root, 'q/.perdure') }, '../src')).toBe(join(root, 'q/src'));
  expect(locate(store, '.')).toBe(join(root, 'p/.perdure'));
  expect(locate(store, '/elsewhere')).toBe('/elsewhere');
  expect([placeOf({ folder: null }, '../x'), locate({ folder: null }, '../x')]).toEqual(['../x', '../x']);
  expect([realOf(join(root, 'link')), realOf('none')]).toEqual([join(root, 'p'), join(process.cwd(), 'none')]);
});

it.each([
  ['/project', true],
  ['/project/a/b', true],
  ['/project/..data', true],
  ['/project/..data/x', true],
  ['/project/...', true],
  ['/projects', false],
  ['/', false],
  ['/other/project', false],
])('%s is the folder /project or below it: %s', (path, is) => {
  expect(isBelow(path, '/project')).toBe(is);
});
