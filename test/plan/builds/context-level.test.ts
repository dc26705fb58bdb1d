import { expect, it } from 'vitest';
import { levelOf, predecessorsOf } from '../../../src/plan/builds/context-level.js';

const task = (id: string, ...dependencies: string[]) => ({ id, dependencies });
const TASKS = [task('a'), task('b', 'a'), task('c', 'a'), task('d', 'b'), task('e', 'd', 'c')];
const at = (id: string) => TASKS.find((one) => one.id === id)!; // one of the five

it.each([
  ['a', 'builder', 1],
  ['b', 'builder', 2],
  ['c', 'custom', 2],
  ['d', 'builder', 3],
  ['b', 'tester', 4],
  ['e', 'reviewer', 4],
  ['e', 'builder', 3],
] as const)('the task %s of a %s has the context of level %i', (id, role, level) => {
  expect(levelOf(at(id), TASKS, role)).toBe(level);
});

it.each([
  ['a', []],
  ['b', ['a']],
  ['d', ['b', 'a']],
  ['e', ['d', 'c', 'b', 'a']],
])('before %s come %j, the nearest first, each once', (id, before) => {
  expect(predecessorsOf(at(id), TASKS).map((one) => one.id)).toEqual(before);
});

it('ends where tasks wait for each other, and passes over what is no task', () => {
  const circle = [task('x', 'y', 'gone'), task('y', 'x')];
  expect(predecessorsOf(circle[0]!, circle).map((one) => one.id)).toEqual(['y']);
});
