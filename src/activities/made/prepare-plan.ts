import type { MadePlan } from '../../plan/agents/made-definition.js';
import { powersOfMakers } from '../../plan/agents/made-definition.js';
import type { Gate } from '../../plan/gates/gate.js';
import type { Json } from '../../plan/values/json.js';
import { toText } from '../../plan/values/json.js';
import { shortPlan } from '../../plan/packing/packed-plan.js';
import { joinPath } from '../../plan/plan.js';
import type { Block, PlanStep } from '../../plan/step.js';
import type { Store } from '../../store/store.js';
import type { Activities, PrepareCall } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { renderAll, renderText } from '../values/template-scope.js';
import { stepFailure } from '../failures.js';
import { gateHashOf } from '../values/content-hash.js';
import type { LoadedStep } from '../values/load-step.js';
import { blockAt, loadStep } from '../values/load-step.js';
import { NO_BUDGETS } from '../../plan/budget/budgets.js';
import type { PlanningStep } from '../../plan/agents/planned-by.js';
import { plannerOf } from '../../plan/agents/planned-by.js';
import { tasksIn } from '../../plan/builds/task.js';
import { teamFaults } from '../../plan/builds/task-rules.js';
import { taskPart } from '../builds/parts/task.js';
import { madeOfTasks } from '../builds/task-workflow.js';
import { keepPlanned } from './planned.js';

/** Tasks that are carried out at the same time, where the step does not say it. */
const POOL = 3;

/**
 * Compiles what a `plan` step runs, by the rules for what agents make, and stores its Plan. What its gate shows is what
 * was compiled, and nothing else runs.
 */
export function createPreparePlan({ store, compile, compileTasks }: Dependencies): Activities['preparePlan'] {
  return async (call) => {
    const loaded = await loadStep(store, call, 'plan');
    const { step } = loaded;
    const block = blockAt(loaded.body, call.step);
    const [source = null] = await renderAll(store, call, [step.source]);
    const message = (await renderText(store, call, step.message)) ?? '';
    if (compile === undefined)
      throw stepFailure('internal', 'This worker cannot compile what is made while a run runs.');
    const planner = step.build === undefined ? plannerOf(block, step.source) : null;
    const made =
      planner === null
        ? await compileSource({ ...loaded, block, source, call, store, compile })
        : await compilePlanned({ ...loaded, source, planner, compileTasks });
    if ('problems' in made)
      throw stepFailure('definition-invalid', `What was made is no workflow that may run:\n${made.problems}`);
    const { plan } = made;
    await store.putPlan(plan);
    if (planner === null && step.build === undefined && step.message !== null) {
      const { ref: text } = await store.putAlways(toText(source));
      const entry = { name: plan.name, plan: plan.hash, text, unasked: step.fallback === 'approve' };
      await keepPlanned(store, call.root.first, entry);
    }
    const defaults = Object.entries(plan.inputs).flatMap(([name, spec]) =>
      spec.default === undefined || call.given.includes(name) ? [] : [{ name, value: spec.default }],
    );
    const stored = await Promise.all(defaults.map(async ({ name, value }) => [name, await store.put(value)] as const));
    const prepared = { plan: shortPlan(plan), defaults: Object.fromEntries(stored) };
    return step.message === null
      ? prepared
      : { ...prepared, ...(await gateFor(store, step, call, { message, content: source })) };
  };
}

interface Preparing extends LoadedStep<PlanStep> {
  block: Block;
  source: Json;
  call: PrepareCall;
  store: Store;
  compile: NonNullable<Dependencies['compile']>;
}

async function compileSource({ source, step, block, plan, call, store, compile }: Preparing): Promise<MadePlan> {
  if (step.build !== undefined) {
    const made = madeOfTasks(source, JSON.parse(await store.getText(step.build)) as Json, step.budgets);
    return 'problems' in made ? made : compile(made, call.workspace);
  }
  const rules = {
    kinds: step.kinds,
    budgets: step.budgets,
    ...powersOfMakers({ block, isNested: call.nested !== null }, step, plan.agents),
    models: call.models,
    inputs: call.given,
  };
  const name = call.path.split('/').at(-1) ?? 'made';
  const file = joinPath('generated', `${/^[A-Za-z]/.test(name) ? name : `step-${name}`}.yml`);
  return compile({ file, text: toText(source), rules }, call.workspace);
}

interface Planned extends LoadedStep<PlanStep> {
  source: Json;
  planner: PlanningStep;
  compileTasks: Dependencies['compileTasks'];
}

/** Tasks that a step of the run planned, as its gates passed them on: somebody may have changed them there. */
async function compilePlanned({ source, step, plan, planner, compileTasks }: Planned): Promise<MadePlan> {
  if (compileTasks === undefined) return { problems: 'This worker cannot carry out tasks.' };
  const { team } = planner.tasks;
  const tasks = tasksIn(source);
  const faults = teamFaults(source, team);
  if (tasks === null || faults.length > 0)
    return { problems: faults.length > 0 ? faults.join('\n') : 'Expected tasks as they were planned.' };
  const made = tasks.flatMap((task) => {
    const { id, name, dependencies } = task;
    const agent = team.find((member) => member.name === task.agent_name)?.agent;
    return agent === undefined ? [] : [{ id, name, agent, prompt: taskPart(task), after: dependencies }];
  });
  const limits = step.limits ?? NO_BUDGETS;
  const budgets = { ...limits, max_parallel: limits.max_parallel ?? POOL };
  return { plan: await compileTasks({ name: 'tasks', tasks: made, agents: plan.agents, budgets }) };
}

async function gateFor(
  store: Store,
  { fallback }: PlanStep,
  { path, since }: PrepareCall,
  shown: { message: string; content: Json },
): Promise<Gate> {
  return {
    path,
    kind: 'ready',
    message: shown.message,
    content: await store.put(shown.content),
    hash: gateHashOf(shown),
    fallback,
    fixed: true,
    since,
  };
}
