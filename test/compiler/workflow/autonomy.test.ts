import { describe, expect, it } from 'vitest';
import { planOf, problemsOf } from '../helpers/temporary-project.js';

const step = (keys: string): string => `steps:\n  - {command: [npm, publish]${keys}}\n`;

describe('A severity', () => {
  it('is closed into the Plan, with its type where there is one', () => {
    expect(planOf(step(', severity: high')).steps[0]?.checkpoint).toEqual({ severity: 'high' });
    expect(planOf(step(', severity: low, type: deploy')).steps[0]?.checkpoint).toEqual({
      severity: 'low',
      type: 'deploy',
    });
    expect(planOf(step('')).steps[0]).not.toHaveProperty('checkpoint');
  });

  it('of a step that runs again is that of each time', () => {
    const [each] = planOf('steps:\n  - {foreach: [a, b], agent: scanner, severity: high}\n').steps;
    expect(each).toMatchObject({ kind: 'foreach', body: { steps: [{ checkpoint: { severity: 'high' } }] } });
    expect(each).not.toHaveProperty('checkpoint');
  });

  it.each([
    [step(', type: deploy'), ['2:31 missing-key']],
    [step(', severity: severe, type: deploy'), ['2:41 invalid-value']],
    ['steps:\n  - {set: {a: 1}, severity: high}\n', ['2:19 unknown-key']],
    ['steps:\n  - {approval: Go?, severity: high}\n', ['2:21 unknown-key']],
  ])('is of what acts, and stands beside each type: %j', (text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });
});

describe('The autonomy of a workflow', () => {
  it.each([
    ['yolo', { level: 'yolo' }],
    ['{level: hitl}', { level: 'hitl' }],
    [
      '{checkpoint_policy: {high: auto}, require_approval_for: [deploy]}',
      { checkpoint_policy: { high: 'auto' }, require_approval_for: ['deploy'] },
    ],
  ])('is a level or a map: %s', (text, policy) => {
    expect(planOf(`autonomy: ${text}\n${step('')}`).autonomy).toEqual(policy);
    expect(planOf(step(''))).not.toHaveProperty('autonomy');
  });

  it.each([
    ['careful', ['1:11 invalid-value']],
    ['{level: careful}', ['1:19 invalid-value']],
    ['{checkpoint_policy: {severe: auto}}', ['1:32 unknown-key']],
    ['{require_approval_for: deploy}', ['1:34 invalid-value']],
  ])('is refused where it says something else: %s', (text, problems) => {
    expect(problemsOf(`autonomy: ${text}\n${step('')}`)).toEqual(problems);
  });
});
