import type { Autonomy } from '../../../plan/gates/autonomy.js';
import { checkedAs, personNeeded } from '../../../plan/gates/autonomy.js';
import { stepWaits } from '../../../plan/outcomes/step-waits.js';
import type { Plan, PlanBody } from '../../../plan/plan.js';
import { joinPath, segmentOf } from '../../../plan/plan.js';
import type { Block, Step } from '../../../plan/step.js';
import { isBlockStep } from '../../../plan/step.js';
import { callOfRemote } from '../../../plan/tools/mcp-server.js';
import { subjectOf } from '../../../plan/tools/permission.js';
import { safeLine, safeName } from '../../text/safe-text.js';

/**
 * Which steps of a Plan wait for a person before they act, by path, and why; a nested workflow as often as it is used.
 * `policies` are the project's.
 */
export function checkpointLines(plan: Plan, policies: Autonomy[]): string[] {
  const own = withOwn(policies, plan);
  const calls = personNeeded(own, checkedAs([]));
  const types = [...new Set(own.flatMap((policy) => policy.require_approval_for ?? []))];
  return [
    ...linesOf(plan, own, { plan, path: '' }),
    ...(calls === null ? [] : [`each call of a tool that does more than look: ${calls}`]),
    ...types.map((type) => `each action of type \`${safeLine(type)}\``),
  ];
}

interface Where {
  plan: Plan;
  path: string;
  /** Of a body that is the authored step itself. */
  single?: boolean;
}

function linesOf({ steps }: Block, policies: Autonomy[], { plan, path, single = false }: Where): string[] {
  return steps.flatMap((step) => {
    const at = single ? path : joinPath(path, segmentOf(step));
    const why = waits(step, policies);
    const own = why === null ? [] : [`${safeName(at)}: ${why}`];
    if (isBlockStep(step)) return linesOf(step.body, policies, { plan, path: at, single: step.body.single });
    const nested = step.kind === 'workflow' ? plan.nested[step.plan] : undefined;
    return nested === undefined ? own : [...own, ...linesOf(nested, withOwn(policies, nested), { plan, path: at })];
  });
}

/** What a call of a tool step does is known when it is made: here it is what the step says of itself. */
function waits(step: Step, policies: Autonomy[]): string | null {
  if (step.kind !== 'tool') return stepWaits(step, policies);
  const { tool, checkpoint } = step;
  if (tool.kind === 'builtin' && checkpoint === undefined) return null;
  const named = tool.kind === 'mcp' ? subjectOf(callOfRemote(tool)) : ['tool', `tool:${tool.name}`];
  return personNeeded(policies, checkedAs(named, checkpoint));
}

function withOwn(policies: Autonomy[], { autonomy }: Pick<PlanBody, 'autonomy'>): Autonomy[] {
  return autonomy === undefined ? policies : [...policies, autonomy];
}
