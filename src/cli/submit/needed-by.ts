import { rootsOf } from '../../plan/values/expression.js';
import type { Plan, PlanBody } from '../../plan/plan.js';
import { joinPath, segmentOf } from '../../plan/plan.js';
import { rootsOfStep } from '../../plan/references/step-references.js';

/** Steps that are named; more say nothing new. */
const MOST_NAMED = 5;

/**
 * Who needs an input: paths of steps in backquotes, through nested workflows down to those whose work uses it, each
 * with the workflow that it is in.
 */
export function neededBy(plan: Plan, input: string): string[] {
  const named: string[] = [];
  for (const { path, workflow } of usersOf({ plan, body: plan, workflow: null, path: '' }, input)) {
    if (named.length === MOST_NAMED) return [...named, 'others'];
    named.push(workflow === null ? `\`${path}\`` : `\`${path}\` of the workflow \`${workflow}\``);
  }
  return named;
}

interface Place {
  plan: Plan;
  body: PlanBody;
  /** The nested workflow's name; null for the definition itself. */
  workflow: string | null;
  path: string;
}

function* usersOf({ plan, body, workflow, path }: Place, input: string): Generator<Pick<Place, 'path' | 'workflow'>> {
  for (const step of body.steps) {
    if (!rootsOfStep(step).includes(`input:${input}`)) continue;
    const here = joinPath(path, segmentOf(step));
    const nested = step.kind === 'workflow' ? plan.nested[step.plan] : undefined;
    let isBelow = false;
    if (step.kind === 'workflow' && nested !== undefined) {
      for (const [name, template] of Object.entries(step.inputs)) {
        if (!rootsOf([template]).includes(`input:${input}`)) continue;
        for (const user of usersOf({ plan, body: nested, workflow: step.workflow, path: here }, name)) {
          isBelow = true;
          yield user;
        }
      }
    }
    if (!isBelow) yield { path: here, workflow: step.kind === 'workflow' ? step.workflow : workflow };
  }
}
