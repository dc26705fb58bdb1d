import { expect, it } from 'vitest';
import { comesAfter } from '../../../src/plan/calls/comes-after.js';
import type { Step, WorkflowStep } from '../../../src/plan/step.js';
import { foreach, loop, many, reference, set, single, whole } from '../helpers/build-blocks.js';
import { body, needs, plan, stepBase } from '../helpers/build-plan.js';

const named = (index: number, id: string, ...before: number[]): Step => set(index, {}, { id, needs: needs(...before) });
const inner = many([named(0, 'p'), named(1, 'q', 0)]);
const NESTED = 'sha256:nested';
const nested = (index: number, id: string, ...before: number[]): WorkflowStep => ({
  ...stepBase(index, { id, needs: needs(...before) }),
  kind: 'workflow',
  workflow: 'nested',
  plan: NESTED,
  inputs: {},
});
const until = reference('run:never');
const items = whole('input:list');
const made = plan(
  [
    named(0, 'first'),
    named(1, 'second', 0),
    named(2, 'third', 1),
    named(3, 'side', 0),
    nested(4, 'called', 1),
    foreach(5, items, inner, { id: 'each', needs: needs(1) }),
    foreach(6, items, single(named(0, 'one')), { id: 'ordered', max_parallel: 1 }),
    loop(7, until, single(foreach(0, items, inner)), { id: 'rounds' }),
  ],
  { nested: { [NESTED]: body([named(0, 'p'), named(1, 'q', 0), named(2, 'r')]) } },
);

it.each([
  ['third', 'first', true, 'through a step in between'],
  ['first', 'third', false, 'it is before'],
  ['third', 'side', false, 'side by side'],
  ['second', 'second', false, 'itself'],
  ['called/q', 'first', true, 'what is around it follows'],
  ['called/q', 'side', false, 'beside what is around it'],
  ['called/q', 'called/p', true, 'in the same nested run'],
  ['called/r', 'called/p', false, 'side by side in a nested run'],
  ['first', 'called/p', false, 'before a nested run'],
  ['each/1/q', 'each/1/p', true, 'in the same item'],
  ['each/1/q', 'each/0/p', false, 'another item'],
  ['each/1/q', 'second', true, 'before all items'],
  ['ordered/1', 'ordered/0', true, 'one item after another'],
  ['ordered/0', 'ordered/1', false, 'a later item'],
  ['rounds/1/0/p', 'rounds/0/1/q', true, 'a round before'],
  ['rounds/0/0/p', 'rounds/1/0/p', false, 'a later round'],
  ['rounds/0/0/q', 'rounds/0/0/p', true, 'in the same item of a round'],
  ['rounds/0/1/q', 'rounds/0/0/p', false, 'another item of a round'],
  ['each/0/p', 'each', true, 'what nobody knows the inside of'],
  ['third', 'gone', true, 'a step that the Plan does not have'],
])('`%s` comes after `%s`: %s (%s)', (path, other, is) => {
  expect(comesAfter(made, path, other)).toBe(is);
});
