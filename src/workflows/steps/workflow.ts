import { nestedPlan } from '../../plan/plan.js';
import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { WorkflowStep } from '../../plan/step.js';
import type { Scope } from '../state/context.js';
import { renderedValues } from '../state/values.js';
import { startNested } from '../running/nested-run.js';

/**
 * A nested workflow: a child workflow of the same interpreter (decision 1). Throws what is not the nested run's own
 * end.
 */
export async function runNested(scope: Scope, step: WorkflowStep, tried: number): Promise<StepEnd> {
  const plan = nestedPlan(scope.context.plan, step.plan);
  return startNested(scope, step, {
    plan,
    tried,
    inputs: await renderedValues(scope, step, step.inputs),
    root: scope.context.root,
  });
}
