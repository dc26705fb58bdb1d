import { describe, expect, it } from 'vitest';
import { plannerOf, plansTasks } from '../../../src/plan/agents/planned-by.js';
import type { Step } from '../../../src/plan/step.js';
import { agentStep } from '../../workflows/helpers/conversing.js';
import { textOf, whole } from '../helpers/build-blocks.js';
import { commandStep, stepBase } from '../helpers/build-plan.js';

const tasks = {
  team: [],
  tested: false,
  reviewed: false,
  hardware: false,
  requirements: [],
  commands: null,
  fixed: {},
};
const gate = (index: number, content: Step & { kind: 'approval' } extends { content: infer C } ? C : never): Step => ({
  ...stepBase(index),
  kind: 'approval',
  message: { kind: 'literal', value: 'Go?' },
  content,
  fallback: 'abort',
});
const steps: Step[] = [
  commandStep(0, ['true']),
  agentStep(1),
  agentStep(2, { tasks }),
  gate(3, whole('step:2.output')),
  gate(4, whole('step:3.output')),
  gate(5, null),
  gate(6, whole('step:1.output')),
];

describe('who planned the tasks that a value is', () => {
  it('is an agent whose answer is tasks', () => {
    expect(steps.map(plansTasks)).toEqual([false, false, true, false, false, false, false]);
  });

  it.each([
    ['the plan itself', whole('step:2.output'), 2],
    ['the plan as a gate passes it on', whole('step:3.output'), 2],
    ['the plan as two gates pass it on', whole('step:4.output'), 2],
    ['a part of a text', textOf('do ', { root: 'step:2.output' }), 2],
    ['two answers', textOf({ root: 'step:2.output' }, { root: 'step:1.output' }), null],
    ['the answer of another agent', whole('step:1.output'), null],
    ['that as a gate passes it on', whole('step:6.output'), null],
    ['what a command wrote', whole('step:0.output'), null],
    ['what a gate without content says', whole('step:5.output'), null],
    ['no output', whole('step:2.error'), null],
    ['more than an output', whole('step:2.outputs'), null],
    ['a step with a number that begins so', whole('step:21.output'), null],
    ['an input', whole('input:plan'), null],
    ['a step that is none', whole('step:77.output'), null],
    ['a step of the scope around', whole('^step:2.output'), null],
    ['words', { kind: 'literal' as const, value: 'step:2.output' }, null],
  ])('%s', (_, source, planner) => {
    expect(plannerOf({ steps }, source)).toBe(planner === null ? null : steps[planner]);
  });
});

it('finds a planner beyond the tenth step', () => {
  const many = [...Array.from({ length: 12 }, (_, index) => commandStep(index, ['true'])), agentStep(12, { tasks })];
  expect(plannerOf({ steps: many }, whole('step:12.output'))).toBe(many[12]);
});
