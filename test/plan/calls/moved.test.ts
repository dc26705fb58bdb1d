import { describe, expect, it } from 'vitest';
import { mayHaveMoved } from '../../../src/plan/calls/moved.js';
import type { CallHead, StepAddress } from '../../../src/plan/calls/short-call.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { Step } from '../../../src/plan/step.js';
import type { Hash } from '../../../src/plan/values/value.js';
import { agentStep } from '../../workflows/helpers/conversing.js';
import { foreach, loop, many, reference, single, whole } from '../helpers/build-blocks.js';
import { body, commandStep, plan, stepBase } from '../helpers/build-plan.js';

const NESTED: Hash = `sha256:${'b'.repeat(64)}`;
const send = (index: number, id: string | null = null): Step => commandStep(index, ['send'], { id });
const other = (index: number, id: string | null = null): Step => commandStep(index, ['other'], { id });
const each = (one: Step): Plan => plan([foreach(0, whole('input:list'), single(one), { id: 'each' })]);
const nests = (id: string, index = 0): Step => ({
  ...stepBase(index, { id }),
  kind: 'workflow',
  workflow: 'inner',
  plan: NESTED,
  inputs: {},
});
const nesting = (steps: Step[]): Plan => plan(steps, { nested: { [NESTED]: body([send(0, 'pay')]) } });

interface To {
  path: string;
  step?: StepAddress;
  given?: string[];
  nested?: Hash;
}

/** Whether a result may have moved in this Plan, to a step that is given these roots. */
function moved(from: string, made: Plan, { path, step = 0, given = [], nested }: To): boolean {
  const environment = Object.fromEntries(given.map((root) => [root, { value: 1 }]));
  const root = { run: 'r', first: 'f', plan: made.hash };
  const call: CallHead = { root, nested: nested ?? null, step, path, try: 1, environment };
  return mayHaveMoved(made, from, call);
}

describe('the result of a path', () => {
  it.each<[string, boolean, string, Plan, To]>([
    ['has no step there any more', true, 'old', plan([send(0, 'new')]), { path: 'new' }],
    ['has another step there now', true, '0', plan([other(0), send(1)]), { path: '1', step: 1 }],
    ['has it there still', false, 'a', plan([send(0, 'a'), send(1, 'b')]), { path: 'b', step: 1 }],
    [
      'has it there still, under a condition',
      false,
      'a',
      plan([{ ...send(0, 'a'), when: reference('input:x') }, send(1, 'b')]),
      { path: 'b', step: 1 },
    ],
    [
      'has another agent there now',
      true,
      '0',
      plan([agentStep(0, { id: null, agent: NESTED }), agentStep(1, { id: null })]),
      { path: '1', step: 1 },
    ],
    ['is that of another item', true, 'each/0', each(send(0)), { path: 'each/1', step: [0, 0], given: ['item'] }],
    ['is that of an item like others', false, 'each/0', each(send(0)), { path: 'each/1', step: [0, 0] }],
    [
      'is that of an item that is given only what stands outside',
      false,
      'each/0',
      each(send(0)),
      { path: 'each/1', step: [0, 0], given: ['input:a', '^step:0.output', 'run:unattended'] },
    ],
    [
      'is that of an item of an item',
      true,
      'each/0/1',
      each(foreach(0, whole('item'), single(send(0)))),
      { path: 'each/1/1', step: [0, 0, 0], given: ['^item'] },
    ],
    [
      'is that of another step of an item',
      false,
      'each/0/a',
      plan([foreach(0, whole('input:list'), many([send(0, 'a'), send(1, 'b')]), { id: 'each' })]),
      { path: 'each/1/b', step: [0, 1], given: ['item'] },
    ],
    [
      'is that of another round',
      false,
      'again/0',
      plan([loop(0, reference('input:x'), single(send(0)), { id: 'again' })]),
      { path: 'again/1', step: [0, 0], given: ['index'] },
    ],
    [
      'is that of another nested run',
      false,
      'k/pay',
      nesting([nests('k'), nests('l', 1)]),
      { path: 'l/pay', nested: NESTED },
    ],
    [
      'is that of a nested run of another name',
      true,
      'k/pay',
      nesting([nests('l')]),
      { path: 'l/pay', nested: NESTED },
    ],
    [
      'is that of the nested run of another item',
      true,
      'each/0/pay',
      nesting([foreach(0, whole('input:list'), single(nests('inner')), { id: 'each' })]),
      { path: 'each/1/pay', nested: NESTED, given: ['input:amount'] },
    ],
    ['was made in the run', true, 'k/a', plan([send(0, 'b')]), { path: 'b' }],
  ])('%s: it may have moved: %s', (...[, may, from, made, to]) => {
    expect(moved(from, made, to)).toBe(may);
  });
});
