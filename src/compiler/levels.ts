import type { Plan, PlanBody } from '../plan/plan.js';
import { everyStep } from '../plan/step.js';
import type { Hash } from '../plan/value.js';

/** How many levels of workflows may be nested where `workflows.max_depth` says nothing; the top is level 1. */
export const DEFAULT_MAX_DEPTH = 5;

/** How many levels of workflows a Plan has. What is made while it runs is a level below its step. */
export function levelsOf(plan: Plan): number {
  const known = new Map<Hash, number>();
  const levels = (body: Pick<PlanBody, 'steps'>): number =>
    1 +
    Math.max(
      0,
      ...[...everyStep(body)].map((step) =>
        step.kind === 'plan' ? 1 : step.kind === 'workflow' ? nested(step.plan) : 0,
      ),
    );
  const nested = (hash: Hash): number => {
    const body = plan.nested[hash];
    const count = known.get(hash) ?? (body === undefined ? 1 : levels(body));
    known.set(hash, count);
    return count;
  };
  return levels(plan);
}
