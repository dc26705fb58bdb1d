import { describe, expect, it } from 'vitest';
import { planOf, problemsOf } from '../helpers/temporary-project.js';

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
