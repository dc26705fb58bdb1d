import { agentName } from '../../plan/builds/agent-name.js';
import { teamOf } from '../../plan/builds/build-spec.js';
import { plansTasks } from '../../plan/agents/planned-by.js';
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
  const carriedOut = steps.find(isMadeOfTasks);
  if (carriedOut === undefined) return null;
  const roles = await rolesOf(steps, carriedOut, store);
  const costs: TaskCosts = { tasks: {}, roles: {} };
  const parts = steps.flatMap((step) => (step === carriedOut ? (step.nested?.steps ?? []) : [step]));
  for (const part of parts) {
    for (const asked of modelSteps([part])) {
      const spend = asked.result?.spend ?? asked.spent;
      if (spend.tokens === 0 && spend.usd === 0) continue;
      add(costs.tasks, part.path.split('/').at(-1) ?? part.path, spend);
      add(costs.roles, roles.get(asked.actor) ?? asked.actor, spend);
    }
  }
  return costs;
}

function isMadeOfTasks({ step }: StepView, _index: number, steps: StepView[]): boolean {
  return step.kind === 'plan' && (step.build !== undefined || steps.some((one) => plansTasks(one.step)));
}

/** Roles by the names of the agents that were made for the team. */
async function rolesOf(
  steps: StepView[],
  { step }: StepView,
  store: Pick<Store, 'getText'>,
): Promise<Map<string, string>> {
  const planner = steps.map((one) => one.step).find(plansTasks);
  const team = planner?.tasks.team ?? teamOf(await specOfStep(step, store));
  return new Map(team.map(({ name, role }, index) => [agentName(name, index), role]));
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
