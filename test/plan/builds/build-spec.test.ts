import { describe, expect, it } from 'vitest';
import { agentName } from '../../../src/plan/builds/agent-name.js';
import {
  AGES,
  agesOf,
  buildsThings,
  rulesAt,
  skillsIn,
  teamOf,
  workTreeOf,
} from '../../../src/plan/builds/build-spec.js';
import { targetDevices, targetOf } from '../../../src/plan/builds/deployment.js';
import { tasksIn } from '../../../src/plan/builds/task.js';
import type { Json } from '../../../src/plan/values/json.js';

const NONE: Json[] = [null, 'text', [], {}];

describe('the spec of a build', () => {
  it('has a team: who builds where no role is known, and the paths that are said', () => {
    const agents = [
      { name: 'Bo', role: 'tester', persona: 'kind', allowed_paths: ['src/', 5], restricted_paths: [] },
      { name: 'Cy', role: 'boss' },
      'Di',
      {},
    ];
    expect(teamOf({ agents })).toEqual([
      { name: 'Bo', role: 'tester', persona: 'kind', allowed_paths: ['src/'], restricted_paths: [] },
      { name: 'Cy', role: 'builder', persona: '' },
      { name: '', role: 'builder', persona: '' },
    ]);
    for (const spec of [...NONE, { agents: 'Bo' }]) expect(teamOf(spec)).toEqual([]);
    expect(['builder', 'custom', 'tester', 'reviewer', 'boss', undefined].map(buildsThings)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('has rules by when they hold, which are always known by a name', () => {
    const rules = [
      { id: 'r1', name: 'Tidy', trigger: 'before_deploy', prompt: 'Tidy up.' },
      { id: 'r2', prompt: 'Be kind.' },
      { trigger: 'sometimes', prompt: 5 },
    ];
    expect(rulesAt({ rules }, 'before_deploy')).toEqual([
      { name: 'Tidy', trigger: 'before_deploy', prompt: 'Tidy up.' },
    ]);
    expect(rulesAt({ rules }, 'always')).toEqual([
      { name: 'r2', trigger: 'always', prompt: 'Be kind.' },
      { name: 'rule 3', trigger: 'always', prompt: '' },
    ]);
    expect(rulesAt({ rules }, 'on_test_fail')).toEqual([]);
    for (const spec of NONE) expect(rulesAt(spec, 'always')).toEqual([]);
  });

  it('has skills by whom they are for, else for all agents', () => {
    const skills = [{ name: 'draw', category: 'style', prompt: 'p' }, { name: 'sing' }, { name: 'x', category: 'odd' }];
    expect(skillsIn({ skills }, 'style')).toEqual([{ name: 'draw', category: 'style', prompt: 'p' }]);
    expect(skillsIn({ skills }, 'agent').map(({ name }) => name)).toEqual(['sing', 'x']);
  });

  it.each<[Json, readonly [number, number]]>([
    [{ audience: { ages: [6, 9] } }, [6, 9]],
    [{ audience: { ages: [6] } }, AGES],
    [{ audience: { ages: ['6', 9] } }, AGES],
    [{ audience: { ages: [6, '9'] } }, AGES],
    [{ audience: { ages: 6 } }, AGES],
    [{ audience: null }, AGES],
    [{ audience: [] }, AGES],
    [{}, AGES],
    [null, AGES],
  ])('%j is for the ages %j', (spec, ages) => {
    expect(agesOf(spec)).toEqual(ages);
  });

  it('works in a tree of its own, with the folders that it names', () => {
    expect(workTreeOf({ workflow: { carry: ['node_modules', 5] } })).toEqual({
      kind: 'worktree',
      carry: ['node_modules'],
    });
    for (const spec of [...NONE, { workflow: [] }, { workflow: { carry: 'x' } }])
      expect(workTreeOf(spec)).toEqual({ kind: 'worktree', carry: [] });
  });

  it.each([
    ['Bea the Builder!', 0, 'task-bea-the-builder-1'],
    ['--Ünï--', 4, 'task-uni-5'],
    ['???', 1, 'task-agent-2'],
    ['a  &  b', 2, 'task-a-b-3'],
    ['x'.repeat(60), 0, `task-${'x'.repeat(40)}-1`],
  ])('calls the agent %j at place %i %s', (name, index, called) => {
    expect(agentName(name, index)).toBe(called);
  });
});

describe('where the result of a build goes', () => {
  it.each<[Json, string]>([
    [{ deployment: { target: 'web' } }, 'web'],
    [{ deployment: { target: 'esp32' } }, 'esp32'],
    [{ deployment: { target: 'moon' } }, 'preview'],
    [{ deployment: {} }, 'preview'],
    [{}, 'preview'],
    [null, 'preview'],
  ])('%j: %s', (spec, target) => {
    expect(targetOf(spec)).toBe(target);
  });

  const plain = { compile: null, image: null, files: [], expect: null, fault: null };
  const esp32 = { ...plain, name: 'esp32', sources: ['esp32/esp32.ino'] };
  it.each<[string, Json, object[]]>([
    ['no board where it is a page', { deployment: { target: 'web' }, devices: [{ name: 'uno' }] }, []],
    ['one called esp32 where none is named', { deployment: { target: 'esp32' } }, [esp32]],
    [
      'one called esp32 where what is named has no name',
      { deployment: { target: 'esp32' }, devices: [{}, 'x'] },
      [esp32],
    ],
    ['none where a page may be all', { deployment: { target: 'both' } }, []],
    ['none where hardware has no board', { nugget: { type: 'hardware' } }, []],
    [
      'those that are named',
      { nugget: { type: 'hardware' }, devices: [{ name: 'uno' }, { instanceId: 'nano', sources: ['n.ino'] }] },
      [
        { ...plain, name: 'uno', sources: ['uno/uno.ino'] },
        { ...plain, name: 'nano', sources: ['n.ino'] },
      ],
    ],
    [
      'what is known of each',
      {
        deployment: { target: 'both' },
        devices: [{ name: 'uno', compile: ['make'], image: 'a.hex', expect: 'ready' }],
        board_faults: { uno: 'no port', other: 'x' },
      },
      [{ name: 'uno', sources: [], compile: ['make'], image: 'a.hex', files: [], expect: 'ready', fault: 'no port' }],
    ],
    [
      'several images rather than one, and files',
      {
        deployment: { target: 'both' },
        devices: [{ name: 'a', images: [{ offset: 0, image: 'x' }], image: 'y', files: ['main.py'] }],
      },
      [{ ...plain, name: 'a', sources: [], image: [{ offset: 0, image: 'x' }], files: ['main.py'] }],
    ],
    [
      'files alone, without a program',
      { deployment: { target: 'both' }, devices: [{ name: 'a', files: ['main.py'] }] },
      [{ ...plain, name: 'a', sources: [], files: ['main.py'] }],
    ],
  ])('to boards: %s', (_, spec, devices) => {
    expect(targetDevices(spec)).toEqual(devices);
  });
});

describe('tasks in an answer', () => {
  const task = {
    ...{ id: 'a', name: 'A', description: 'Do it.', acceptance_criteria: ['Done.'], dependencies: [] },
    agent_name: 'Bo',
  };

  it('are there where each is whole', () => {
    expect(tasksIn({ tasks: [task] })).toEqual([task]);
    expect(tasksIn({ tasks: [task, { ...task, id: 'b', dependencies: ['a'], extra: 1 }] })).toHaveLength(2);
  });

  it.each<[string, Json]>([
    ['nothing', null],
    ['a list', [task]],
    ['no tasks', {}],
    ['an empty list', { tasks: [] }],
    ['a text among them', { tasks: [task, 'b'] }],
    ['no name', { tasks: [task, { ...task, name: null }] }],
    ['a number for its agent', { tasks: [{ ...task, agent_name: 5 }] }],
    ['a number for its id', { tasks: [{ ...task, id: 5 }] }],
    ['no description', { tasks: [{ ...task, description: null }] }],
    ['a text for its criteria', { tasks: [{ ...task, acceptance_criteria: 'Done.' }] }],
    ['numbers for its criteria', { tasks: [{ ...task, acceptance_criteria: [5] }] }],
    ['numbers for what it depends on', { tasks: [{ ...task, dependencies: ['b', 5] }] }],
  ])('are none with %s', (_, answer) => {
    expect(tasksIn(answer)).toBeNull();
  });
});
