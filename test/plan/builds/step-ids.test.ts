import { expect, it } from 'vitest';
import { stepIdsOf } from '../../../src/plan/builds/task.js';

it.each([
  [
    ['html', 'css'],
    ['html', 'css'],
  ],
  [
    ['two words', 'css'],
    ['task_1', 'css'],
  ],
  [
    ['tests', 'go_on_3', 'deploy_web'],
    ['task_1', 'task_2', 'task_3'],
  ],
  [
    ['two words', 'task_1', 'task_2'],
    ['task_3', 'task_1', 'task_2'],
  ],
  [
    ['', 'a b', 'task_1'],
    ['task_2', 'task_3', 'task_1'],
  ],
])('tasks %j have the steps %j, no two the same', (ids, expected) => {
  expect(stepIdsOf(ids.map((id) => ({ id })))).toEqual(expected);
});
