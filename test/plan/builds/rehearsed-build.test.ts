import { describe, expect, it } from 'vitest';
import { rehearsedFile, rehearsedTasks } from '../../../src/plan/builds/rehearsed-build.js';
import type { TaskRules } from '../../../src/plan/builds/task-rules.js';
import { planFaults } from '../../../src/plan/builds/task-rules.js';
import type { JsonObject } from '../../../src/plan/values/json.js';

const team = [
  { name: 'Tess', role: 'tester' },
  { name: 'Rita', role: 'reviewer' },
  { name: 'Bo', role: 'builder' },
];
const rules = (more: Partial<TaskRules> = {}): TaskRules => ({
  team,
  tested: true,
  reviewed: true,
  hardware: false,
  requirements: [],
  commands: { test_command: null, start_command: null, page: null },
  fixed: {},
  ...more,
});
// what `rehearsedTasks` has made
const tasksOf = (more: Partial<TaskRules>): JsonObject[] => rehearsedTasks(rules(more))['tasks'] as JsonObject[];

describe('a rehearsed build', () => {
  it.each<[string, Partial<TaskRules>, string[]]>([
    ['tested and reviewed', {}, ['Bo', 'Bo', 'Tess', 'Rita']],
    ['not reviewed', { reviewed: false }, ['Bo', 'Bo', 'Tess']],
    ['neither, whose commands are tried all the same', { tested: false, reviewed: false }, ['Bo', 'Bo', 'Tess']],
    ['tasks alone', { commands: null, tested: false, reviewed: false }, ['Bo', 'Bo']],
    ['tested tasks', { commands: null, reviewed: false }, ['Bo', 'Bo', 'Tess']],
    [
      'one who does all',
      { team: [{ name: 'Cy', role: 'custom' }], tested: false, reviewed: false },
      ['Cy', 'Cy', 'Cy'],
    ],
    ['only who looks', { team: [{ name: 'Rita', role: 'reviewer' }], tested: false }, ['Rita', 'Rita', 'Rita', 'Rita']],
  ])('has tasks that its rules allow: %s', (_, more, agents) => {
    const tasks = tasksOf(more);
    expect(tasks.map((task) => task['agent_name'])).toEqual(agents);
    expect(tasks.map((task) => task['dependencies'])).toEqual(
      agents.map((_agent, index) => (index === 0 ? [] : [`task-${index}`])),
    );
    if ((more.team ?? team).length > 1)
      expect(planFaults({ tasks }, { ...rules(more), reviewed: agents.includes('Rita') })).toEqual([]);
  });

  it('writes a page that counts, with its test, and says that nobody was asked', () => {
    const files = tasksOf({}).map((task) => rehearsedFile(String(task['description'])));
    expect(files.map((file) => file?.path ?? null)).toEqual([
      'src/index.html',
      'src/counter.mjs',
      'tests/counter.test.mjs',
      null,
    ]);
    expect(rehearsedTasks(rules())).toMatchObject({
      test_command: ['node', '--test', 'tests/counter.test.mjs'],
      page: 'src/index.html',
      plan_explanation: expect.stringContaining('rehearsal'),
    });
    expect(tasksOf({}).map((task) => task['name'])).toEqual([
      'Rehearsal: set a page up',
      'Rehearsal: count clicks',
      'Rehearsal: test it',
      'Rehearsal: look at it',
    ]);
    for (const task of tasksOf({}))
      expect(task).toMatchObject({ complexity: 'simple', acceptance_criteria: ['It is there.'] });
  });

  it('does nothing where tasks are all there is', () => {
    const answer = rehearsedTasks(rules({ commands: null }));
    expect(Object.keys(answer).sort()).toEqual(['plan_explanation', 'tasks']);
    expect(answer['plan_explanation']).toMatch(/rehearsal: no model was asked/);
    for (const task of tasksOf({ commands: null })) {
      expect(rehearsedFile(String(task['description']))).toBeNull();
      expect(task['name']).toMatch(/^Rehearsal: part \d$/);
      expect(task['description']).toMatch(/^Nothing is done/);
    }
  });

  it.each(['(rehearsal script: toString)', '(rehearsal script: other)', 'rehearsal script: page', 'Write it.'])(
    'writes nothing for %j',
    (prompt) => {
      expect(rehearsedFile(prompt)).toBeNull();
    },
  );
});
