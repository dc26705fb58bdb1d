import { agentName } from '../../plan/builds/agent-name.js';
import { teamOf } from '../../plan/builds/build-spec.js';
import { plannerOf, plansTasks } from '../../plan/agents/planned-by.js';
import type { Spend } from '../../plan/budget/spend.js';
import { addSpend, NO_SPEND } from '../../plan/budget/spend.js';
import type { TaskCosts } from '../../plan/result.js';
import type { Store } from '../../store/store.js';
import { specOfStep } from './build-spec.js';
import type { RunView, StepView } from './view/view.js';
import { everyStepView, nestedIn } from './view/view.js';

/**
 * What the models of a run have cost whose tasks were planned: by the step that each task is, with all that was mended
 * in it, and by the role of who was asked. Null for other runs.
 */
export async function taskCosts({ steps }: RunView, store: Pick<Store, 'getText'>): Promise<TaskCosts | null> {
  const carriedOut = new Set(tasksBelow(steps));
  if (carriedOut.size === 0) return null;
  const roles = await rolesOf(steps, [...carriedOut], store);
  const costs: TaskCosts = { tasks: {}, roles: {} };
  for (const part of steps.flatMap((step) => partsOf(step, carriedOut))) {
    for (const asked of modelSteps([part])) {
      const spend = asked.result?.spend ?? asked.spent;
      if (spend.tokens === 0 && spend.usd === 0) continue;
      add(costs.tasks, part.path.split('/').at(-1) ?? part.path, spend);
      add(costs.roles, roles.get(asked.actor) ?? asked.actor, spend);
    }
  }
  return costs;
}

/** The steps that carry out planned tasks, wherever they stand. */
function tasksBelow(steps: StepView[]): StepView[] {
  const block = { steps: steps.map(({ step }) => step) };
  return steps.flatMap((one) => {
    const { step } = one;
    const isMadeOfTasks = step.kind === 'plan' && (step.build ?? plannerOf(block, step.source)) !== null;
    return isMadeOfTasks ? [one] : blocksOf(one).flatMap(tasksBelow);
  });
}

/** What is told apart: each task, and each step that has none in it. */
function partsOf(step: StepView, carriedOut: ReadonlySet<StepView>): StepView[] {
  if (carriedOut.has(step)) return step.nested?.steps ?? [];
  const below = blocksOf(step).flat();
  const hasTasks = everyStepBelow(below).some((one) => carriedOut.has(one));
  return hasTasks ? below.flatMap((one) => partsOf(one, carriedOut)) : [step];
}

/** Steps that stand beside each other in a step: those of its rounds, and of its nested runs. */
function blocksOf(step: StepView): StepView[][] {
  return [...step.rounds, ...nestedIn(step)].map(({ steps }) => steps);
}

/** Roles by the names of the agents that were made for the team. */
async function rolesOf(
  steps: StepView[],
  carriedOut: StepView[],
  store: Pick<Store, 'getText'>,
): Promise<Map<string, string>> {
  const teams = everyStepBelow(steps).flatMap(({ step }) => (plansTasks(step) ? [step.tasks.team] : []));
  for (const { step } of carriedOut) teams.push(teamOf(await specOfStep(step, store)));
  return new Map(
    teams.flatMap((team) => team.map(({ name, role }, index): [string, string] => [agentName(name, index), role])),
  );
}

function everyStepBelow(steps: StepView[]): StepView[] {
  return steps.flatMap((step) => [step, ...blocksOf(step).flatMap(everyStepBelow)]);
}

/** The steps below these in which models were asked, by whom a step names. */
function modelSteps(steps: StepView[]): StepView[] {
  return everyStepView(steps).flatMap((one) => [
    ...(one.step.kind === 'agent' ? [one] : []),
    ...nestedIn(one).flatMap((nested) => (one.step.kind === 'agent' ? [] : modelSteps(nested.steps))),
  ]);
}

function add(costs: Record<string, { usd: number | null; tokens: number }>, name: string, spend: Spend): void {
  const { usd, tokens } = addSpend({ ...NO_SPEND, ...costs[name] }, spend);
  costs[name] = { usd, tokens };
}
