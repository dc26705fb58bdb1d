// @module-tag git
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ShippedProject } from './shipped-project.js';
import { openShippedProject } from './shipped-project.js';

let project: ShippedProject;
beforeAll(async () => {
  project = await openShippedProject();
});
afterAll(async () => {
  await project.close();
});

const task = (number: number, dependencies: number[], agent_name: string) => ({
  id: `task-${number}`,
  name: `Part ${number}`,
  description: 'Do this part.',
  acceptance_criteria: ['It is there.'],
  dependencies: dependencies.map((needed) => `task-${needed}`),
  agent_name,
  complexity: 'simple',
});
const tasks = [task(1, [], 'builder'), task(2, [1], 'builder'), task(3, [1], 'tester'), task(4, [2, 3], 'tester')];

const PLANNER = {
  'You plan how a project is built': () => ({ text: JSON.stringify({ tasks, plan_explanation: 'In order.' }) }),
};
const TEAM = {
  'of a team that builds': ({ prompt }: { prompt: string }) => ({
    text: `Did ${/^# (.+)$/m.exec(prompt)?.[1] ?? 'nothing'}.`,
  }),
};

describe('a build', () => {
  it('skips what depends on a task that did not succeed, and tells of it', async () => {
    const { result } = await project.run('../builds/blink', [], {
      ...PLANNER,
      'of a team that builds': (request) =>
        request.prompt.includes('# Part 2') ? { status: 400, message: 'no' } : TEAM['of a team that builds'](request),
    });
    expect(result).toMatchObject({
      status: 'partial',
      output: { summaries: { 'task-1': 'Did Part 1.', 'task-2': '', 'task-3': 'Did Part 3.', 'task-4': '' } },
    });
  });

  it.each(['blink', 'arcade-game', 'reading-list'])(
    'of %s plans its tasks, which are carried out once a person approved them',
    async (name) => {
      const { code, result } = await project.run(`../builds/${name}`, [], { ...PLANNER, ...TEAM });
      expect({ code, status: result.status }).toEqual({ code: 0, status: 'success' });
      expect(result.output).toEqual({
        tasks,
        summaries: {
          'task-1': 'Did Part 1.',
          'task-2': 'Did Part 2.',
          'task-3': 'Did Part 3.',
          'task-4': 'Did Part 4.',
        },
      });
      const [first, , , last] = project.asked('of a team that builds').map(({ prompt }) => prompt);
      expect(first).not.toContain('Did Part');
      for (const part of [1, 2, 3]) expect(last).toContain(`Did Part ${part}.`);
      const [{ prompt } = { prompt: '' }] = project.asked('You plan how');
      expect(prompt).toContain('"goal":');
    },
  );

  it('asks again when the tasks wait for each other', async () => {
    const cyclic = [task(1, [4], 'builder'), ...tasks.slice(1)];
    const answers = [cyclic, tasks];
    const { result } = await project.run('../builds/blink', [], {
      ...TEAM,
      'You plan how a project is built': () => ({
        text: JSON.stringify({ tasks: answers.shift() ?? tasks, plan_explanation: '' }),
      }),
    });
    expect(result.status).toBe('success');
    const [, second] = project.asked('You plan how');
    expect(second?.messages.map(({ text }) => text).join('\n')).toContain('form a cycle');
  });
});
