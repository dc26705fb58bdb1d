import { describe, expect, it } from 'vitest';
import { collectInput, namesGiven } from '../../../src/cli/submit/collect-input.js';
import { nestedPlan } from '../../../src/plan/plan.js';
import type { Step } from '../../../src/plan/step.js';
import { compileIn, createProject } from '../helpers/temporary-project.js';

const AGENT = { 'definitions/agents/scanner.yml': 'name: scanner\nprompt: You scan.\n' };
const REVIEW = `name: review
execution: parallel
steps:
  - {agent: scanner, inputs: {focus: auth}}
  - {foreach: [a, b], agent: scanner, prompt: "Scan \${item}."}
  - {command: [printf, done]}
`;

function compile(text: string, pairs: string[], more: Record<string, string> = {}) {
  const root = createProject({ ...AGENT, ...more, 'definitions/workflows/review.yml': text });
  return compileIn(root, 'review', namesGiven({ pairs, file: null }));
}

const input = (name: string) => ({ expression: { root: `input:${name}` } });

describe('an input that a workflow without `inputs:` does not use', () => {
  it('is taken and shown to every agent, with a warning', () => {
    const { plan, problems } = compile(REVIEW, ['target=src/api=old.py', 'depth']);
    expect(problems.map(({ severity, message }) => `${severity}: ${message}`)).toEqual([
      'warning: Nothing refers to the input `target`; every agent is shown it.',
    ]);
    expect(plan).toMatchObject({
      inputs: { target: { type: 'any', required: false } },
      steps: [
        { inputs: { focus: { value: 'auth' }, target: input('target') } },
        { body: { steps: [{ inputs: { target: input('target') } }] } },
        { kind: 'command' },
      ],
    });
    if (plan === null) return;
    expect(collectInput(plan, { pairs: ['target=src/api=old.py'], file: null, request: null })).toEqual({
      target: 'src/api=old.py',
    });
  });

  it('is taken so where a step passes it to a nested workflow', () => {
    const { plan, problems } = compile(
      'steps:\n  - {workflow: inner, inputs: {target: src, focus: auth}}\n  - {workflow: inner, inputs: {focus: x}}\n',
      [],
      { 'definitions/workflows/inner.yml': 'name: inner\nsteps:\n  - {agent: scanner, prompt: "Scan ${focus}."}\n' },
    );
    expect(problems).toMatchObject([{ code: 'unused-input', file: 'definitions/workflows/inner.yml' }]);
    const [first, second] = (plan?.steps ?? []).map((step: Step) =>
      plan !== null && step.kind === 'workflow' ? nestedPlan(plan, step.plan) : null,
    );
    expect(first?.steps).toMatchObject([{ inputs: { target: input('target') } }]);
    expect(second?.steps).toMatchObject([{ inputs: {} }]);
    expect(second?.inputs).not.toHaveProperty('target');
  });

  it.each<[why: string, text: string, given: string]>([
    ['it declares inputs', `inputs: {path: {default: src}}\n${REVIEW}`, 'target=x'],
    ['it uses one of nearly that name', REVIEW.replace('auth', '"${targets}"'), 'target=x'],
    ['no agent is there to be shown it', 'steps:\n  - {command: [printf, done]}\n', 'target=x'],
    ['it is a word of the language', REVIEW, 'steps=x'],
    ['it is no name', REVIEW, '__proto__ x=x'],
  ])('is none of its inputs where %s', (_, text, given) => {
    const { plan } = compile(text, [given]);
    expect(Object.keys(plan?.inputs ?? { target: 'no plan' })).not.toContain(given.split('=')[0]);
  });
});
