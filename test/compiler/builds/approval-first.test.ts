import { expect, it } from 'vitest';
import { gatePlan } from '../../../src/compiler/builds/approval-first.js';
import { compileIn, createProject } from '../helpers/temporary-project.js';

it('a Plan behind an approval of its text runs in the work tree that the text names', () => {
  const project = createProject({
    'x.yml': 'workspace: worktree\nsteps:\n  - {command: [touch, a], commit: "Make a"}\n',
  });
  const { plan, problems } = compileIn(project, 'x.yml');
  expect(problems).toEqual([]);
  if (plan === null) throw new Error('no Plan');
  expect(plan.workspace).toEqual({ kind: 'worktree', carry: [] });
  expect(gatePlan(plan, { message: 'Run it?', content: 'text' }, new Map())).toMatchObject({
    workspace: plan.workspace,
    steps: [{ kind: 'approval' }, { kind: 'workflow', plan: plan.hash }],
  });
});
