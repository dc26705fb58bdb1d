import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { tasksSchema } from '../../../src/compiler/agents/task-planning.js';
import { taskRulesOf } from '../../../src/compiler/builds/build-planner.js';
import { cleanTasks } from '../../../src/plan/builds/clean-tasks.js';
import { planFaults, taskFaults } from '../../../src/plan/builds/task-rules.js';
import type { AuthoredBuild } from '../../../src/compiler/formats/build/build.js';
import type { JsonObject } from '../../../src/plan/values/json.js';

const agents: AuthoredBuild['agents'] = [
  { name: 'Bo', role: 'builder' },
  { name: 'Cy', role: 'custom' },
  { name: 'Tess', role: 'tester' },
  { name: 'Rita', role: 'reviewer' },
];
const spec = (more: Partial<AuthoredBuild> = {}): AuthoredBuild => ({
  goal: 'A clock',
  agents,
  requirements: [{ description: 'It ticks.' }, { description: 'It stops.' }],
  ...more,
});
const rules = (more: Partial<AuthoredBuild> = {}) => taskRulesOf(spec(more));

const task = (id: string, agent_name: string, dependencies: string[] = [], more: object = {}) => ({
  id,
  name: `Do ${id}`,
  description: 'Do it.',
  acceptance_criteria: ['It is done.'],
  dependencies,
  agent_name,
  complexity: 'simple',
  ...more,
});
const SOUND = [
  task('a', 'Bo', [], { requirement_ids: ['req-0'] }),
  task('b', 'Bo', ['a'], { requirement_ids: ['req-1'] }),
  task('c', 'Tess', ['b']),
  task('d', 'Rita', ['a', 'c']),
];
const others = (index: number, ...instead: JsonObject[]): JsonObject[] => [
  ...SOUND.slice(0, index),
  ...instead,
  ...SOUND.slice(index + 1),
];

describe('the tasks of a build', () => {
  it('are sound as the rules say', () => {
    expect(planFaults({ tasks: SOUND }, rules())).toEqual([]);
  });

  it.each([
    [
      'an id that is taken',
      others(1, task('a', 'Bo')),
      ['two tasks have the id `a`', 'task `c` depends on `b`, which is no task'],
    ],
    ['a task on itself', others(1, task('b', 'Bo', ['b'])), ['task `b` depends on itself']],
    ['a cycle', others(0, task('a', 'Bo', ['d'])), ['the dependencies of `a`, `b`, `c`, `d` form a cycle']],
    ['somebody else', others(1, task('b', 'Eve', ['a'])), ['task `b` is for `Eve`, who is no agent of the spec']],
    [
      'two beginnings',
      [...SOUND.slice(0, 3), task('x', 'Bo'), task('d', 'Rita', ['a', 'c', 'x'])],
      ['`a`, `x` depend on nothing: one task sets the project up, and all others depend on it'],
    ],
    [
      'two ends',
      [...SOUND, task('x', 'Tess', ['b'])],
      ['nothing depends on `d`, `x`: the last task depends on all others'],
    ],
    [
      'a builder at the end',
      [...SOUND, task('x', 'Bo', ['d'])],
      ['task `x` is the last and is for a builder: a tester or a reviewer looks at the whole'],
    ],
    [
      'a tester at the beginning',
      [task('t', 'Tess'), { ...SOUND[0], dependencies: ['t'] }, ...SOUND.slice(1)],
      [
        'task `t` is the first and is for a tester: a builder sets the project up',
        'task `t` is for a tester and depends on no task that builds something',
      ],
    ],
    ['no tests', others(2, task('c', 'Cy', ['b'])), ['no task is for a tester']],
    ['no review', others(3, task('d', 'Tess', ['a', 'c'])), ['no task is for a reviewer']],
    [
      'a review of own work',
      others(2, task('r', 'Bo', ['b'], { name: 'Review the code' }), task('c', 'Tess', ['r'])),
      ['task `r` reviews what `Bo` built in `b`: somebody else has to'],
    ],
    [
      'work that follows by itself',
      others(1, task('b', 'Bo', ['a'], { name: 'Flash the firmware to the board', requirement_ids: ['req-1'] })),
      ['task `b` (Flash the firmware to the board) deploys or flashes: that is no task, it follows by itself'],
    ],
    ['a requirement without a task', others(1, task('b', 'Bo', ['a'])), ['the requirement `req-1` has no task']],
    [
      'a requirement that there is not',
      others(2, task('c', 'Tess', ['b'], { requirement_ids: ['req-9'] })),
      ['task `c` names the requirement `req-9`, which the spec does not have'],
    ],
  ])('are refused with %s', (_case, tasks, faults) => {
    expect(planFaults({ tasks }, rules())).toEqual(faults);
  });

  it.each<[string, string, string[]]>([
    ['a builder', 'Bo', ['task `r` reviews what `Bo` built in `b`: somebody else has to']],
    ['another builder', 'Cy', []],
  ])('are reviewed by %s', (_case, name, faults) => {
    for (const title of ['Code review', 'code-review of all', ' review it', 'CODE REVIEW'])
      expect(
        planFaults({ tasks: others(2, task('r', name, ['b'], { name: title }), task('c', 'Tess', ['r'])) }, rules()),
      ).toEqual(faults);
    expect(
      planFaults(
        { tasks: others(2, task('r', 'Bo', ['b'], { name: 'Reviewers list' }), task('c', 'Tess', ['r'])) },
        rules(),
      ),
    ).toEqual([]);
  });

  it('of which none says what it is for are taken', () => {
    expect(
      planFaults(
        { tasks: SOUND.map(({ id, agent_name, dependencies }) => task(id, agent_name, dependencies)) },
        rules(),
      ),
    ).toEqual([]);
  });

  it.each([
    ['Flash the LED when the button is pressed', []],
    ['Build flashcards', []],
    ['Review the board', []],
    ['Undeploy nothing', []],
    ['Deployments of the past', []],
    ['Flashing an ESP32', [expect.stringContaining('that is no task')]],
    ['  redeploying', [expect.stringContaining('that is no task')]],
    ['Flashes it to the board', [expect.stringContaining('that is no task')]],
    ['Deploy to the server', [expect.stringContaining('that is no task')]],
  ])('are judged by what is done: %s', (name, faults) => {
    expect(planFaults({ tasks: others(2, task('c', 'Tess', ['b'], { name })) }, rules())).toEqual(faults);
  });

  it('need nobody who tests or reviews where the spec wants neither', () => {
    const workflow = { testing_enabled: false, review_enabled: false };
    expect(
      planFaults({ tasks: [task('a', 'Bo', [], { requirement_ids: ['req-0', 'req-1'] })] }, rules({ workflow })),
    ).toEqual([]);
  });

  it.each([
    ['one', 1, true],
    ['fifteen', 15, true],
    ['sixteen', 16, false],
    ['none', 0, false],
  ])('may be so many: %s', (_case, count, valid) => {
    const validate = new Ajv({ strict: false }).compile(tasksSchema(['Bo'], { commands: true }) as object);
    const tasks = Array.from({ length: count }, (_, index) => task(`t${index}`, 'Bo'));
    expect(validate(cleanTasks({ tasks }, rules()))).toBe(valid);
  });
});

describe('a planner’s answer', () => {
  it('has what it left out, and no keys that nothing reads', () => {
    const { complexity: _left, ...bare } = task('a', 'Bo', [], { mood: 'eager' });
    expect(cleanTasks({ tasks: [bare], critical_path: ['a'] }, rules())).toEqual({
      tasks: [task('a', 'Bo', [], { complexity: 'medium' })],
      plan_explanation: '',
      test_command: ['npm', 'test'],
      start_command: ['npm', 'start'],
      page: null,
    });
  });

  it('changes no command that the spec names', () => {
    const fixed = rules({ workflow: { test_command: ['node', '--test'], page: 'index.html' } });
    expect(cleanTasks({ tasks: [], test_command: ['true'], start_command: ['true'] }, fixed)).toMatchObject({
      test_command: ['node', '--test'],
      start_command: null,
      page: 'index.html',
    });
  });

  it('has a criterion that code for a device compiles', () => {
    const cleaned = cleanTasks({ tasks: [task('a', 'Bo'), task('b', 'Tess')] }, rules({ type: 'hardware' }));
    expect(cleaned).toMatchObject({
      tasks: [
        { acceptance_criteria: ['It is done.', 'The code compiles for the device.'] },
        { acceptance_criteria: ['It is done.'] },
      ],
      test_command: null,
    });
  });

  it.each<[string, object, object]>([
    ['a page', { page: 'a.html' }, { start_command: null, page: 'a.html' }],
    ['a command rather than a page', { start_command: ['go'], page: 'a.html' }, { start_command: ['go'], page: null }],
    ['no command in an empty list', { start_command: [], page: '' }, { start_command: ['npm', 'start'], page: null }],
    ['its own test', { test_command: ['make', 'test'] }, { test_command: ['make', 'test'] }],
    ['no test in an empty list', { test_command: [] }, { test_command: ['npm', 'test'] }],
    ['no test in a text', { test_command: 'make' }, { test_command: ['npm', 'test'] }],
    ['what it explains', { plan_explanation: 'So.' }, { plan_explanation: 'So.' }],
  ])('has %s', (_what, answer, expected) => {
    expect(cleanTasks({ tasks: [], ...answer }, rules())).toMatchObject(expected);
  });

  it('keeps what a task says, and gives it a usual complexity for one that is none', () => {
    const given = [
      task('a', 'Bo', [], { complexity: 'complex', requirement_ids: ['req-0'] }),
      task('b', 'Bo', ['a'], { complexity: 'huge' }),
      task('c', 'Bo', ['a'], { acceptance_criteria: ['It compiles.'] }),
      task('d', 'Bo', ['a'], { acceptance_criteria: 'none' }),
      'no task',
    ];
    expect(cleanTasks({ tasks: given }, rules({ type: 'hardware' }))).toMatchObject({
      tasks: [
        { complexity: 'complex', requirement_ids: ['req-0'] },
        { complexity: 'medium' },
        { acceptance_criteria: ['It compiles.'] },
        { acceptance_criteria: 'none' },
        'no task',
      ],
    });
  });

  it.each([null, 'text', { tasks: 'none' }])('that is none stays as it is: %j', (answer) => {
    expect(cleanTasks(answer, rules())).toEqual(answer);
  });

  it('is looked through for ids and cycles where there is no spec', () => {
    expect(taskFaults({ tasks: [task('a', 'Bo', ['x'])] })).toEqual(['task `a` depends on `x`, which is no task']);
  });
});
