import type { StepOutput } from '../../activities/contract.js';
import { segmentOf } from '../../plan/plan.js';
import type { AgentStep } from '../../plan/step.js';
import { templatesOf } from '../../plan/step.js';
import { acting, actingOptions } from '../activities.js';
import type { RunContext } from '../context.js';
import { modelFor, pathOf } from '../context.js';
import { environmentOf } from '../values.js';

/** One answer of a model in a role. */
export function runAgent(context: RunContext, step: AgentStep, tried: number): Promise<StepOutput> {
  const agent = context.plan.agents[step.agent];
  if (agent === undefined) throw new Error(`The plan has no agent ${step.agent}`);
  const { root, nested } = context;
  const path = pathOf(context, step);
  const model = modelFor(context, step.model ?? agent.model);
  return acting.callModel.executeWithOptions(actingOptions(step, path, `${segmentOf(step)}: ${agent.name} (${model.model})`), [
    { root, nested, step: step.index, path, try: tried, environment: environmentOf(context, templatesOf(step)), model },
  ]);
}
