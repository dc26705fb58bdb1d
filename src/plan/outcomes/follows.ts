import type { Follows } from '../gates/notice.js';
import { segmentOf } from '../plan.js';
import type { Block, Step } from '../step.js';
import { everyStep, isBlockStep } from '../step.js';

/** Steps of one block that wait for a gate. */
export interface BlockAfter {
  block: Block;
  /** The step that the gate is of, or is in. */
  gate: Step;
  /** In the block's order; the gate's own step where it asks about itself. */
  after: Step[];
}

/** What waits for a gate by the edges of its Plan. `path` is the gate's path in that run, rounds included. */
export function followsOf(body: Block, path: string): Pick<Follows, 'steps' | 'external'> {
  const after = blocksAfter(body, path).flatMap((one) => one.after);
  const all = after.flatMap((step) => [step, ...(isBlockStep(step) ? everyStep(step.body) : [])]);
  return { steps: all.length, external: all.filter(({ effect }) => effect === 'external').map(segmentOf) };
}

/** The same by block: the gate's own first, then those around it. */
export function blocksAfter(body: Block, path: string): BlockAfter[] {
  return blocksIn(body, path.split('/'));
}

function blocksIn(block: Block, [segment = '', ...below]: string[]): BlockAfter[] {
  const step = block.steps.find((one) => segmentOf(one) === segment);
  if (step === undefined) return [];
  const own = step.kind === 'approval' || step.kind === 'ask' || isBlockStep(step) ? [] : [step];
  // The round or item stands between a block and its steps; a body of one step has the item's own path.
  const [, ...inner] = below;
  const within = isBlockStep(step) && inner.length > 0 ? blocksIn(step.body, inner) : [];
  return [...within, { block, gate: step, after: [...own, ...dependents(block.steps, step)] }];
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
