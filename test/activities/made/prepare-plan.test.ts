import { expect, it } from 'vitest';
import { createActivities } from '../../../src/activities/create-activities.js';
import type { PrepareCall, PreparedPlan } from '../../../src/activities/contract.js';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import { unpackPlan } from '../../../src/plan/packing/packed-plan.js';
import type { PlanStep, Step } from '../../../src/plan/step.js';
import type { Json } from '../../../src/plan/values/json.js';
import { createMadeCompiler, createMakers } from '../../../src/workers/worker/made-compiler.js';
import { foreach, loop, many, reference, whole } from '../../plan/helpers/build-blocks.js';
import { commandStep, plan, stepBase } from '../../plan/helpers/build-plan.js';
import { WORKER, agent, agentStep } from '../../workflows/helpers/conversing.js';
import type { Bench } from '../helpers/harness.js';
import { createBench, failureOf } from '../helpers/harness.js';

/** Its agent has tools that the maker does not have. */
const WANTED = 'name: made\nsteps:\n  - agent: general-purpose\n    prompt: Write it.\n';
const made = (index: number, root: string): PlanStep => ({
  ...stepBase(index),
  kind: 'plan',
  source: whole(root),
  inputs: {},
  kinds: ['agent'],
  budgets: NO_BUDGETS,
  message: null,
  fallback: 'abort',
});
const command = commandStep(0, ['true']);

interface Given {
  steps: Step[];
  step: PrepareCall['step'];
  root: string;
  groups?: Record<string, number[]>;
}

function prepare(
  { store, folder, temporal }: Bench,
  { steps, step, root, groups = {} }: Given,
  source: Json,
): Promise<PreparedPlan> {
  const stored = plan(steps, { agents: { [WORKER]: agent({ uses: [] }) }, groups });
  const activities = createActivities({
    store,
    credentials: () => ({}),
    compile: createMadeCompiler(store),
    ...createMakers(store),
  });
  const call: PrepareCall = {
    root: { run: 'test-run', first: 'first', plan: stored.hash },
    nested: null,
    step,
    path: 'go',
    try: 1,
    since: '2026-01-01T00:00:00.000Z',
    environment: { [root]: { value: source } },
    workspace: folder,
    models: ['', 'sonnet'],
    given: [],
  };
  return store.putPlan(stored).then(() => temporal.run((given: PrepareCall) => activities.preparePlan(given), call));
}

it.each<[string, Given]>([
  ['beside its maker', { steps: [agentStep(0), made(1, 'step:0.output')], step: 1, root: 'step:0.output' }],
  [
    'in a round, beside its maker',
    {
      steps: [command, loop(1, reference('input:a'), many([agentStep(0), made(1, 'step:0.output')]))],
      step: [1, 1],
      root: 'step:0.output',
    },
  ],
  [
    'in an item, of the item itself',
    { steps: [command, foreach(1, whole('input:a'), many([command, made(1, 'item')]))], step: [1, 1], root: 'item' },
  ],
  [
    'of a group of makers',
    {
      steps: [agentStep(0), made(1, 'group:g.outputs')],
      step: 1,
      root: 'group:g.outputs',
      groups: { g: [0] },
    },
  ],
])('makes a workflow that may do no more than its maker: %s', async (_, given) => {
  const failure = await failureOf(prepare(await createBench(), given, WANTED));
  expect(failure.message).toContain('which whoever made this may not');
});

it('carries out tasks that a step beside it planned, also in a round', async () => {
  const rules = { tested: false, reviewed: false, hardware: false, requirements: [], commands: null, fixed: {} };
  const planner = agentStep(0, { tasks: { ...rules, team: [{ name: 'Bo', role: 'builder', agent: WORKER }] } });
  const task = { id: 'one', name: 'Do it', description: 'Do.', acceptance_criteria: [], dependencies: [] };
  const steps = [command, loop(1, reference('input:a'), many([planner, made(1, 'step:0.output')]))];
  const given = { steps, step: [1, 1], root: 'step:0.output' };
  const prepared = await prepare(await createBench(), given, { tasks: [{ ...task, agent_name: 'Bo' }] });
  expect(unpackPlan(prepared.plan).steps).toMatchObject([{ id: 'one', kind: 'agent', agent: WORKER }]);
});
