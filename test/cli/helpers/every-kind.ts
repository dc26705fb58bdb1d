import type { Expression, Template } from '../../../src/plan/values/expression.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { Body, Step, StepBase } from '../../../src/plan/step.js';
import { after, body, commandStep, needs, plan, stepBase } from '../../plan/helpers/build-plan.js';

const text = (value: string): Template => ({ kind: 'literal', value });
const output = (step: number): Expression => ({
  kind: 'reference',
  root: `step:${step}.output`,
  path: [],
  source: `steps[${step}].output`,
});
const condition = (word: string): Expression => ({
  kind: 'call',
  name: 'contains',
  operands: [output(0), { kind: 'literal', value: word }],
});

function agentStep(index: number, id: string, base: Partial<StepBase> = {}): Step {
  return {
    ...stepBase(index, { id, ...base }),
    kind: 'agent',
    agent: 'sha256:reviewer',
    prompt: text('Look.'),
    inputs: {},
    model: null,
    schema: null,
    rehearsal: null,
  };
}

function bodyOf(steps: Step[], single: boolean): Body {
  return { steps, groups: {}, output: null, single };
}

/**
 * A Plan with every kind of step: a group, conditions, gates, nesting (twice the same), bodies within bodies, a step
 * that always runs.
 */
export function everything(): Plan {
  const nested = body([agentStep(0, 'draft'), commandStep(1, ['wc', '-w'], { id: 'count', needs: needs(0) })], {
    name: 'write',
  });
  const each: Step = {
    ...stepBase(4, { id: 'each', needs: after(1, 2, 3) }),
    kind: 'foreach',
    items: { kind: 'expression', expression: output(0) },
    max_parallel: 3,
    body: bodyOf(
      [
        agentStep(0, 'fix'),
        {
          ...stepBase(1, { id: 'retry', needs: needs(0) }),
          kind: 'loop',
          until: condition('pass'),
          max: 3,
          at_max: 'error',
          body: bodyOf([commandStep(0, ['npm', 'test'], { id: 'test' })], true),
        },
      ],
      false,
    ),
  };
  const steps: Step[] = [
    commandStep(0, ['ls', '-1'], { id: 'files' }),
    agentStep(1, 'security', { parallel_group: 'reviewers', needs: after(0) }),
    agentStep(2, 'speed', { parallel_group: 'reviewers', needs: after(0) }),
    agentStep(3, 'style', { parallel_group: 'reviewers', needs: after(0), when: condition('.css') }),
    each,
    {
      ...stepBase(5, { id: 'first', needs: after(4) }),
      kind: 'workflow',
      workflow: 'write',
      plan: 'sha256:write',
      inputs: {},
    },
    {
      ...stepBase(6, { id: 'second', needs: after(4, 5) }),
      kind: 'workflow',
      workflow: 'write',
      plan: 'sha256:write',
      inputs: {},
    },
    {
      ...stepBase(7, { id: 'who', needs: after(0) }),
      kind: 'ask',
      question: text('Who signs?'),
      schema: null,
      choices: null,
    },
    {
      ...stepBase(8, { id: 'names', needs: after(7) }),
      kind: 'set',
      values: { author: { kind: 'expression', expression: output(7) } },
    },
    { ...stepBase(9, { needs: after(6, 8) }), kind: 'wait', for_ms: 90_000, until: null },
    {
      ...stepBase(10, { id: 'approve', needs: after(9) }),
      kind: 'approval',
      message: text('Publish it?'),
      content: null,
      fallback: 'abort',
    },
    commandStep(11, ['rm', '-f', 'draft.md'], { id: 'tidy', needs: after(10), always: true }),
  ];
  return plan(steps, {
    name: 'everything',
    groups: { reviewers: [1, 2, 3] },
    nested: { 'sha256:write': nested },
    agents: {
      'sha256:reviewer': {
        name: 'reviewer',
        description: null,
        prompt: text('You review.'),
        model: 'haiku',
        program: null,
        tools: [],
        inputs: {},
        max_output_kb: 100,
        max_turns: 20,
      },
    },
  });
}
