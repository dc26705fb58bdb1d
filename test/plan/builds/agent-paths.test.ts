import { expect, it } from 'vitest';
import { isEverything, pathFault, pathOf } from '../../../src/plan/builds/agent-paths.js';

it.each([
  ['src/', 'src/'],
  ['src', 'src/'],
  ['./src/**', 'src/'],
  ['src/*', 'src/'],
  ['src//a', 'src/a/'],
  ['index.html', 'index.html'],
  ['Makefile', 'Makefile'],
  ['.elisa/', '.elisa/'],
  [' docs ', 'docs/'],
])('the path %j of a spec is %j in permissions', (written, path) => {
  expect([pathOf(written), pathFault(written)]).toEqual([path, null]);
});

it.each(['.', './', '/', '*', '**', './**', '**/*'])('%j is the whole project', (written) => {
  expect([isEverything(written), pathFault(written)]).toEqual([true, null]);
});

it.each([
  ['/etc', 'root of the machine'],
  ['~/x', 'root of the machine'],
  ['../x', 'leads out'],
  ['a/../../b', 'leads out'],
  ['src/*.js', 'pattern'],
  ['**/*.test.js', 'pattern'],
  ['a\\b', 'pattern'],
])('%j cannot be held to', (written, why) => {
  expect(pathFault(written)).toContain(why);
});
