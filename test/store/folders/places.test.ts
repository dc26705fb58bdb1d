import { expect, it } from 'vitest';
import { isBelow } from '../../../src/store/folders/places.js';

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
