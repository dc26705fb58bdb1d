import { isPlayed } from '../../plan/players.js';
import type { ModelChoice } from '../../plan/agents/model-choice.js';
import { plansTasks } from '../../plan/agents/planned-by.js';
import { everyStepOf } from '../../plan/plan.js';
import type { Agent } from '../../plan/step.js';
import { modelKeyOf } from '../../plan/step.js';
import { utf8Bytes } from '../../plan/values/json.js';
import type { RunFold } from './fold/run-fold.js';
import type { PlannedTasks } from './view/view.js';

/** Nothing where no step plans tasks, in the run, its blocks or what it nests. */
export function plannedTasks({ input: { plan, settings } }: RunFold): { planned?: PlannedTasks } {
  const steps = [...everyStepOf(plan)];
  const planner = steps.find(plansTasks);
  if (planner === undefined) return {};
  const played = isPlayed(plan, settings.programs)(planner);
  const modelOf = (agent: Agent | undefined, model: string | null): ModelChoice | null =>
    played ? null : (settings.models[modelKeyOf({ model }, agent)] ?? null);
  return {
    planned: {
      team: planner.tasks.team.map(({ name, role, agent: hash }) => {
        const agent = hash === undefined ? undefined : plan.agents[hash];
        if (agent === undefined) return { name, role, model: modelOf(plan.agents[planner.agent], planner.model) };
        const { max_turns: turns, params } = agent;
        const member = { name, role, model: modelOf(agent, null), turns, told: bytesOf(agent) };
        return params === undefined ? member : { ...member, params };
      }),
      spec: steps.flatMap((step) => (step.kind === 'plan' ? (step.build ?? []) : []))[0] ?? null,
    },
  };
}

/** About how long an agent's instruction is; a stored text says it. */
function bytesOf({ prompt }: Agent): number {
  const parts = prompt.kind === 'text' ? prompt.parts : [];
  const literal = prompt.kind === 'literal' ? utf8Bytes(JSON.stringify(prompt.value)) : 0;
  return parts.reduce(
    (bytes, part) => bytes + (typeof part === 'string' ? utf8Bytes(part) : 'bytes' in part ? part.bytes : 0),
    literal,
  );
}
