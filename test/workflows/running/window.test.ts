// @seconds 10
import { expect, it } from 'vitest';
import type { Plan } from '../../../src/plan/plan.js';
import { DEFAULT_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { WorkflowStep } from '../../../src/plan/step.js';
import { foreach, single, wait } from '../../plan/helpers/build-blocks.js';
import { body, commandStep, plan, stepBase } from '../../plan/helpers/build-plan.js';
import { harnessOfFile } from '../helpers/harness.js';

const harness = await harnessOfFile();

/** What begins and what ends in a history, by the kind of thing that is under way in between. */
const PAIRS = {
  activities: { begins: /^activityTaskScheduled$/, ends: /^activityTask(Completed|Failed|TimedOut|Canceled)$/ },
  'nested runs': {
    begins: /^startChildWorkflowExecutionInitiated$/,
    ends: /^childWorkflowExecution(Completed|Failed|TimedOut|Canceled|Terminated)$/,
  },
  timers: { begins: /^timerStarted$/, ends: /^timer(Fired|Canceled)$/ },
};
const leaf = body([commandStep(0, ['true'])], { name: 'leaf' });
const nested = (index: number): WorkflowStep => ({
  ...stepBase(index, { timeout_ms: 600_000 }),
  kind: 'workflow',
  workflow: 'leaf',
  plan: 'sha256:leaf',
  inputs: {},
});
const list = (length: number): { kind: 'literal'; value: number[] } => ({
  kind: 'literal',
  value: Array.from({ length }, (_, index) => index),
});
const times = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index));

/** More than the window holds is ready at once in each, so that it is full at some moment, and never fuller. */
it.each<[string, number, keyof typeof PAIRS, { made: Plan; max_parallel?: number }]>([
  ['52 steps that need nothing', 50, 'activities', { made: plan(times(52, (index) => commandStep(index, ['true']))) }],
  ['52 items', 50, 'activities', { made: plan([foreach(0, list(52), single(commandStep(0, ['true'])))]) }],
  [
    '12 items of which `max_parallel` allows 4',
    4,
    'activities',
    { made: plan([foreach(0, list(12), single(commandStep(0, ['true'])), { max_parallel: 4 })]) },
  ],
  [
    'a run with `max_parallel` of 3',
    3,
    'activities',
    { made: plan([foreach(0, list(12), single(commandStep(0, ['true'])))]), max_parallel: 3 },
  ],
  [
    'more than all at once, where `max_parallel` asks for it',
    50,
    'activities',
    { made: plan(times(52, (index) => commandStep(index, ['true']))), max_parallel: 500 },
  ],
  ['12 nested runs', 8, 'nested runs', { made: plan(times(12, nested), { nested: { 'sha256:leaf': leaf } }) }],
  [
    '12 items that are nested runs',
    8,
    'nested runs',
    { made: plan([foreach(0, list(12), single(nested(0)))], { nested: { 'sha256:leaf': leaf } }) },
  ],
  [
    '102 items that hold nothing while they wait',
    100,
    'timers',
    { made: plan([foreach(0, list(102), single(wait(0, 1_000)))]) },
  ],
])('%s: never more than %i %s are under way', async (_what, most, kind, { made, max_parallel = null }) => {
  const handle = await harness.start(made, { settings: { budget: { ...DEFAULT_BUDGETS, max_parallel } } });
  expect((await handle.result()).status).toBe('success');
  let open = 0;
  const levels = (await harness.events(handle.workflowId)).map(
    ({ type }) => (open += PAIRS[kind].begins.test(type) ? 1 : PAIRS[kind].ends.test(type) ? -1 : 0),
  );
  expect(open).toBe(0);
  expect(Math.max(...levels)).toBe(most);
});
