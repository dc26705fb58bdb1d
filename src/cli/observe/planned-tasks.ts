import { isPlayed } from '../../plan/players.js';
import type { ModelChoice } from '../../plan/agents/model-choice.js';
import type { TaskRules } from '../../plan/builds/task-rules.js';
import type { AgentStep } from '../../plan/step.js';
import { modelKeyOf } from '../../plan/step.js';
import type { Text } from '../../plan/values/value.js';
import type { RunFold } from './run-fold.js';

/** What a viewer knows of the tasks that an agent of a run plans, beside what that agent says of them. */
export interface PlannedTasks {
  team: TaskRules['team'];
  /** The model that carries them out; null where a program does. */
  model: ModelChoice | null;
  /** The build spec that they are for, as JSON; null where there is none. */
  spec: Text | null;
}

/** Nothing where no step of the run plans tasks. */
export function plannedTasks({ input: { plan, settings } }: RunFold): { planned?: PlannedTasks } {
  const planner = plan.steps.find((step): step is AgentStep => step.kind === 'agent' && step.tasks !== undefined);
  if (planner?.tasks === undefined) return {};
  const played = isPlayed(plan, settings.programs)(planner);
  const choice = settings.models[modelKeyOf(planner, plan.agents[planner.agent])];
  return {
    planned: {
      team: planner.tasks.team,
      model: played ? null : (choice ?? null),
      spec: plan.steps.flatMap((step) => (step.kind === 'plan' ? (step.build ?? []) : []))[0] ?? null,
    },
  };
}
