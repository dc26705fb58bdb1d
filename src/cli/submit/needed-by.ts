import { rootsOf } from '../../plan/expression.js';
import type { Plan, PlanBody } from '../../plan/plan.js';
import { joinPath, segmentOf } from '../../plan/plan.js';
import { rootsOfStep } from '../../plan/step-templates.js';

/** Paths of the steps, in backquotes, whose work uses an input: through nested workflows down to who really needs it. */
export function neededBy(plan: Plan, input: string): string[] {
  return usersOf(plan, plan, input, '').map((path) => `\`${path}\``);
}

function usersOf(plan: Plan, body: PlanBody, input: string, path: string): string[] {
  return body.steps.flatMap((step) => {
    if (!rootsOfStep(step).includes(`input:${input}`)) return [];
    const here = joinPath(path, segmentOf(step));
    if (step.kind !== 'workflow') return [here];
    const nested = plan.nested[step.plan];
    const passed = Object.entries(step.inputs).filter(([, template]) => rootsOf([template]).includes(`input:${input}`));
    const below = nested === undefined ? [] : passed.flatMap(([name]) => usersOf(plan, nested, name, here));
    return below.length === 0 ? [here] : below;
  });
}
