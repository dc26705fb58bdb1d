import { describe, expect, it } from 'vitest';
import { compileIn, createProject, planOf, problemsOf } from '../helpers/temporary-project.js';

const WORK = '  - {id: work, command: [touch, a], commit: "Make a", on_error: continue}\n';
const workflow = (steps: string): string => `workspace: worktree\nsteps:\n${steps}`;
const taking = (of: string): string => `  - {id: taken, set: {summary: so}, commit: {of: ${of}, subject: Make a}}\n`;

describe('a step that commits what another has left', () => {
  it('names it and waits for it', () => {
    const [, taken] = planOf(`execution: dag\n${workflow(WORK + taking('work'))}`).steps;
    expect(taken).toMatchObject({ commit: 'Make a', commit_of: 'work', needs: [{ step: 0 }] });
  });

  it.each([
    ['a step that is not there', WORK + taking('wrk'), '4:50 unknown-step'],
    ['a step that does not commit', WORK.replace(', commit: "Make a"', '') + taking('work'), '4:50 missing-key'],
    ['a step after it', taking('work') + WORK, '3:50 forward-reference'],
  ])('names not %s', (_what, steps, problem) => {
    expect(problemsOf(workflow(steps))).toEqual([problem]);
  });
});

describe('a workflow in a work tree', () => {
  it.each([
    ['worktree', { carry: [] }],
    ['{kind: worktree, carry: [libs]}', { carry: ['libs'] }],
    ['{kind: worktree, carry: [libs], carry_mb: 700}', { carry: ['libs'], carry_mb: 700 }],
  ])('written `%s` has what it says in its Plan, and no more', (workspace, how) => {
    expect(planOf(`workspace: ${workspace}\nsteps:\n${WORK}`).workspace).toStrictEqual({ kind: 'worktree', ...how });
  });

  it('has a limit in whole megabytes', () => {
    const workspace = 'workspace: {kind: worktree, carry: [libs], carry_mb: 0}';
    expect(problemsOf(`${workspace}\nsteps:\n${WORK}`)).toEqual(['1:54 invalid-value']);
  });

  it.each([
    ['[a/b/c, a]', '1:37 invalid-value'],
    ['[a, ab, a/b]', '1:44 invalid-value'],
    ['[libs, a//b, a/b/c]', '1:49 invalid-value'],
    ['[a, a]', '1:40 invalid-value'],
    ['[a//b, a/b]', '1:43 invalid-value'],
  ])('carries no folder twice: %s', (carry, problem) => {
    expect(problemsOf(`workspace: {kind: worktree, carry: ${carry}}\nsteps:\n${WORK}`)).toEqual([problem]);
  });

  it('is told which folder has one of its `carry` in it, as a build is', () => {
    const message = 'Expected a folder in no other of these: `libs` goes along with all in it, got `libs/deep`.';
    const flow = `workspace: {kind: worktree, carry: [libs/deep, libs]}\nsteps:\n${WORK}`;
    const project = createProject({
      'flow.yml': flow,
      'build.yml': 'goal: A clock\nworkflow: {carry: [libs, libs/deep]}\n',
    });
    for (const file of ['flow.yml', 'build.yml'])
      expect(compileIn(project, file).problems).toMatchObject([{ code: 'invalid-value', message }]);
  });

  it('of a build has what the spec says', () => {
    const project = createProject({ 'build.yml': 'goal: A clock\nworkflow: {carry: [libs], carry_mb: 700}\n' });
    const { plan } = compileIn(project, 'build.yml');
    expect(plan?.workspace).toStrictEqual({ kind: 'worktree', carry: ['libs'], carry_mb: 700 });
  });
});
