import type { Follows } from '../gates/notice.js';
import type { PlanBody } from '../plan.js';
import { segmentOf } from '../plan.js';
import type { Block, Step } from '../step.js';
import { everyStep, isBlockStep } from '../step.js';

/** What waits for a gate by the edges of its Plan. `path` is the gate's path in that run, rounds included. */
export function followsOf({ steps }: Pick<PlanBody, 'steps'>, path: string): Follows {
  const after = afterIn(steps, path.split('/'));
  const all = after.flatMap((step) => [step, ...(isBlockStep(step) ? everyStep(step.body) : [])]);
  return { steps: all.length, external: all.filter(({ effect }) => effect === 'external').map(segmentOf) };
}

function afterIn(steps: Block['steps'], [segment = '', ...below]: string[]): Step[] {
  const step = steps.find((one) => segmentOf(one) === segment);
  if (step === undefined) return [];
  const own = step.kind === 'approval' || step.kind === 'ask' || isBlockStep(step) ? [] : [step];
  // The round or item stands between a block and its steps; a body of one step has the item's own path.
  const [, ...inner] = below;
  const within = isBlockStep(step) && inner.length > 0 ? afterIn(step.body.steps, inner) : [];
  return [...own, ...within, ...dependents(steps, step)];
}

/** Steps beside this one that wait for it, whatever lies between. */
function dependents(steps: Block['steps'], step: Step): Step[] {
  const reached = new Set([step.index]);
  for (let before = 0; before !== reached.size;) {
    before = reached.size;
    for (const other of steps) if (other.needs.some((need) => reached.has(need.step))) reached.add(other.index);
  }
  return steps.filter((other) => other !== step && reached.has(other.index));
}
