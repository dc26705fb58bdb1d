import { render } from '../../plan/references/evaluate.js';
import type { Scope } from '../../plan/references/evaluate.js';
import type { Fallback, Gate } from '../../plan/gates/gate.js';
import type { Plan, PlanBody } from '../../plan/plan.js';
import type { ApprovalStep } from '../../plan/step.js';
import type { Template } from '../../plan/values/expression.js';
import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';

/**
 * What an unattended run does at a gate: what the definition says, or what a value says that a step before yielded.
 * Where that step was passed over, since people are asked, nobody has chosen.
 */
export function fallbackOf(
  { fallback }: ApprovalStep,
  scope: Scope,
  place: { plan: Plan; body: PlanBody },
): Pick<Gate, 'fallback' | 'fallback_by'> {
  if (typeof fallback === 'string') return { fallback };
  const value = render(fallback.by, scope);
  const reason = isObject(value) && typeof value['reason'] === 'string' ? value['reason'].trim() : '';
  return value === '' || value === null
    ? { fallback: 'abort' }
    : {
        fallback: meantBy(value),
        fallback_by: { name: nameOf(fallback.by, place), reason: reason === '' ? null : reason.slice(0, 500) },
      };
}

/** `true`, `approve`, `skip`, or `{holds: true}`; whatever else it says does not go on. */
function meantBy(value: Json): Fallback {
  const said = isObject(value) ? value['holds'] : value;
  return said === true || said === 'approve' ? 'approve' : said === 'skip' ? 'skip' : 'abort';
}

/** Who said so. An agent is called by its name and by what it is, so that nobody takes it for a person. */
function nameOf(by: Template, { plan, body }: { plan: Plan; body: PlanBody }): string {
  const root = by.kind === 'expression' && by.expression.kind === 'reference' ? by.expression.root : '';
  const step = body.steps[Number(/^step:(\d+)/.exec(root)?.[1] ?? -1)];
  const agent = step?.kind === 'agent' ? plan.agents[step.agent] : undefined;
  return agent === undefined ? 'fallback' : `${agent.name} (a model)`;
}
