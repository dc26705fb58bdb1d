import type { Plan } from '../../plan/plan.js';
import { everyStepOf } from '../../plan/plan.js';
import type { Step } from '../../plan/step.js';
import type { Json } from '../../plan/values/json.js';
import type { Store } from '../../store/store.js';
import type { RunView, StepView } from './view/view.js';

/** The step of a build that carries out its tasks; null in other runs. */
export function buildStepOf(view: Pick<RunView, 'steps'>): StepView | null {
  return view.steps.find(({ step }) => step.kind === 'plan' && step.build !== undefined) ?? null;
}

/** The spec of the build that a step carries out; null for other steps. */
export async function specOfStep(step: Step | undefined, store: Pick<Store, 'getText'>): Promise<Json> {
  if (step?.kind !== 'plan' || step.build === undefined) return null;
  return JSON.parse(await store.getText(step.build)) as Json; // the compiler wrote it
}

/** The spec of the first build that a Plan has; null where it has none. */
export async function specOfPlan(plan: Plan, store: Pick<Store, 'getText'>): Promise<Json> {
  for (const step of everyStepOf(plan)) {
    const spec = await specOfStep(step, store);
    if (spec !== null) return spec;
  }
  return null;
}
