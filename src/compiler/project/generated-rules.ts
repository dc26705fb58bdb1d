import type { Budgets } from '../../plan/budget/budgets.js';
import type { Plan } from '../../plan/plan.js';
import { joinPath } from '../../plan/plan.js';
import { LIMITS, NO_BUDGETS } from '../../plan/budget/budgets.js';
import type { MadeRules } from '../../plan/agents/made-definition.js';
import type { Config } from './config.js';
import type { ReadStep } from '../formats/read-step.js';
import { saidOf } from '../formats/read-step.js';
import type { Definition } from '../load.js';

/**
 * What a workflow may use that an agent made, where the config sets nothing.
 */
const DEFAULTS: Budgets = { ...NO_BUDGETS, max_steps: 10, max_parallel: 3, max_runtime_mins: 5 };

export type GeneratedRules = Pick<MadeRules, 'kinds' | 'budgets'>;

/** What the config says of workflows that agents make. */
export function generatedRules({
  workflows: { ai_generated_budgets: set = {}, ai_generated } = {},
}: Config): GeneratedRules {
  return {
    kinds: ai_generated?.allow_tools === true ? ['agent', 'tool'] : ['agent'],
    budgets: smallerOf(set, DEFAULTS, true),
  };
}

/**
 * What a made workflow says of calls that is not its maker's to say: what a call may do the project says, and whether
 * it may happen twice the tool. A made step could lift a denial, or have an effect repeated.
 */
export function toolStepFaults(definition: Definition | null): string[] {
  if (definition?.format !== 'workflow') return [];
  const { steps, finally: last } = definition.authored;
  return faultsIn([...steps, ...last], '');
}

/** Of steps and of those of their bodies; `outer` is the path of the step that has them. */
function faultsIn(steps: ReadStep[], outer: string): string[] {
  return steps.flatMap((step, index) => {
    const path = joinPath(outer, saidOf(step)?.id ?? String(index));
    const { authored, block } = step;
    if (block !== null) return faultsIn(block.steps, path);
    if (authored?.kind !== 'tool') return [];
    const key = (['permissions', 'effect'] as const).find((one) => authored[one] !== undefined);
    return key === undefined
      ? []
      : [`A \`tool:\` step of a workflow that is made sets no \`${key}\`; step \`${path}\` does.`];
  });
}

/** How far a run goes on without a person is not for those to say who make a workflow. */
export function autonomyFaults({ autonomy }: Plan): string[] {
  return autonomy === undefined
    ? []
    : ['Expected no `autonomy` in a workflow that is made: people say it, in their files.'];
}

/** Limits of what is made that are beyond what it may have, each in one sentence for who makes it. */
export function budgetFaults(budgets: Budgets, most: Budgets): string[] {
  return LIMITS.flatMap((limit) => {
    const [own, may] = [budgets[limit], most[limit]];
    return own === null || may === null || own <= may
      ? []
      : [`Expected \`${limit}\` of a workflow that is made to be at most ${may}, got \`${own}\`.`];
  });
}

/** Of each limit the first where it is set, else the second; with `replaces` false the smaller of both. */
export function smallerOf(
  set: { [limit in keyof Budgets]?: number | null | undefined },
  most: Budgets,
  replaces = false,
): Budgets {
  const budgets = { ...most };
  for (const limit of LIMITS) {
    const own = set[limit] ?? null;
    if (own !== null) budgets[limit] = replaces ? own : Math.min(own, most[limit] ?? own);
  }
  return budgets;
}
