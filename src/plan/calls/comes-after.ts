import type { Plan } from '../plan.js';
import { isSingle, stepNamed } from '../plan.js';
import type { Block, Body } from '../step.js';
import { isBlockStep } from '../step.js';

/** Two paths as far as they are the same, and what is left of each below the block that both lead to. */
interface Parting {
  block: Block | Body;
  here: string[];
  there: string[];
}

/**
 * Tells whether the step of a path begins only once the step of another has ended, or while that works. Steps side by
 * side do not: either may be the first. True where nobody knows: of what was made in a run, and of what the Plan does
 * not have.
 */
export function comesAfter(plan: Plan, path: string, other: string): boolean {
  return partsAfter(plan, { block: plan, here: path.split('/'), there: other.split('/') });
}

function partsAfter(plan: Plan, { block, here, there }: Parting): boolean {
  const [step, other] = [here, there].map(([segment = '']) => stepNamed(block, segment));
  if (step === undefined || other === undefined) return true;
  if (step !== other) return allNeeds(block, step.index).has(other.index);
  const [below, belowOther] = isSingle(block) ? [here, there] : [here.slice(1), there.slice(1)];
  const [number] = below;
  // It is the same step, or what that step runs.
  if (number === undefined) return false;
  if (belowOther[0] === undefined) return true;
  if (!isBlockStep(step)) {
    const nested = step.kind === 'workflow' ? plan.nested[step.plan] : undefined;
    return nested === undefined || partsAfter(plan, { block: nested, here: below, there: belowOther });
  }
  const apart = Number(number) - Number(belowOther[0]);
  if (apart === 0) return partsAfter(plan, { block: step.body, here: below.slice(1), there: belowOther.slice(1) });
  return apart > 0 && (step.kind === 'loop' || step.max_parallel === 1);
}

/** Indexes of all that a step of a block waits for. */
function allNeeds({ steps }: Block, index: number): Set<number> {
  const found = new Set<number>();
  const open = [index];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const { step } of steps[next]?.needs ?? []) {
      if (!found.has(step)) open.push(step);
      found.add(step);
    }
  return found;
}
