import { describe, expect, it } from 'vitest';
import { compileTasks } from '../../../src/compiler/made/made-tasks.js';
import { plannerOf } from '../../../src/plan/agents/planned-by.js';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import { brief, compileText, planOf } from '../helpers/temporary-project.js';

const planning = (more: string): string =>
  `steps:\n  - id: think\n    agent: scanner\n    prompt: Plan it.\n${more}` +
  `  - id: ask\n    approval: So?\n    content: "\${steps.think.output}"\n  - plan: "\${steps.ask.output}"\n`;

describe('an agent that plans tasks for others', () => {
  it('has them in its Plan, is told who they are, and is found behind the gate that passes its tasks on', () => {
    const plan = planOf(planning('    tasks: [linter, {agent: reporter, role: reviewer}]\n'));
    const [step, , last] = plan.steps;
    expect(step).toMatchObject({
      tasks: { tested: false, reviewed: true, commands: null, team: [{ name: 'linter', role: 'builder' }, {}] },
      schema: { properties: { tasks: { maxItems: 15 } } },
    });
    expect(Object.values(plan.agents).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['scanner', 'linter', 'reporter']),
    );
    expect(last?.kind === 'plan' && plannerOf(plan, last.source)).toBe(step);
  });

  it.each([
    ['a schema beside', '    tasks: [linter]\n    schema: {type: object}\n', 'conflicting-keys', 'schema of their own'],
    ['somebody twice', '    tasks: [linter, linter]\n', 'duplicate-name', 'in the team already'],
    ['nobody', '    tasks: []\n', 'invalid-value', 'a list with an agent'],
    ['a name that is none', '    tasks: [lintr]\n', 'unknown-agent', 'lintr'],
    ['another role', '    tasks: [{agent: linter, role: boss}]\n', 'invalid-value', 'one of builder'],
    ['a program', '    tasks: [coder]\n', 'invalid-value', 'The program `codex` plays `coder`'],
    ['one that needs an input', '    tasks: [asker]\n', 'invalid-value', 'needs the input `what`'],
  ])('is a problem with %s', (_, more, code, said) => {
    const { problems } = compileText(planning(more), {
      'definitions/agents/coder.yml': 'name: coder\nagent: codex\nprompt: Code.\n',
      'definitions/agents/asker.yml': 'name: asker\nprompt: "Ask ${what}."\ninputs: {what: {type: string}}\n',
    });
    expect(problems.filter(({ severity }) => severity === 'error').map((one) => brief(one).split(' ')[1])).toEqual([
      code,
    ]);
    expect(problems.map(({ message }) => message).join('\n')).toContain(said);
  });
});

describe('planned tasks', () => {
  it('become steps that run when those before them are done, by agents of the run and no others', () => {
    const { agents } = planOf(planning('    tasks: [linter]\n'));
    const [hash] = Object.entries(agents).flatMap(([key, { name }]) => (name === 'linter' ? [key] : []));
    const task = (id: string, after: string[]) => ({
      id,
      name: `Do ${id}`,
      agent: hash as never,
      prompt: 'Do.',
      after,
    });
    const { plan } = compileTasks({
      name: 'tasks',
      tasks: [task('a', []), task('b', ['a'])],
      agents,
      budgets: { ...NO_BUDGETS, max_parallel: 3 },
    });
    expect(plan.steps).toMatchObject([
      { id: 'a', needs: [], inputs: {} },
      { id: 'b', needs: [{ step: 0, skip: true }], inputs: { 'a: Do a': { expression: { root: 'step:0.output' } } } },
    ]);
    expect(Object.keys(plan.agents)).toEqual([hash]);
  });

  it('have steps of their own, by their names where steps may have these', () => {
    const task = (id: string) => ({ id, name: id, agent: 'sha256:a' as const, prompt: 'Do.', after: [] });
    const { plan } = compileTasks({
      name: 'tasks',
      tasks: [task('two words'), task('task_1')],
      agents: {},
      budgets: NO_BUDGETS,
    });
    expect(plan.steps.map(({ id }) => id)).toEqual(['task_2', 'task_1']);
  });
});
