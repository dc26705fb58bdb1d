import type { Follows } from '../gates/notice.js';
import type { Plan } from '../plan.js';
import { isSingle, segmentOf, stepNamed } from '../plan.js';
import type { Block, Body, Step } from '../step.js';
import { isBlockStep } from '../step.js';
import { ownOf } from '../values/own.js';
import type { Hash } from '../values/value.js';

/** Steps of one block that wait for a gate. */
export interface BlockAfter {
  block: Block;
  /** The step that the gate is of, or is in. */
  gate: Step;
  /** In the block's order; the gate's own step where it asks about itself. */
  after: Step[];
}

type Bodies = Plan['nested'];

/** What waits for a gate by the edges of its Plan. `path` is the gate's path in that run, rounds included. */
export function followsOf(plan: Block & Pick<Plan, 'nested'>, path: string): Pick<Follows, 'steps' | 'external'> {
  return countOf(blocksAfter(plan, path), plan.nested);
}

/**
 * What waits for a gate anywhere in the tree of runs below a root's Plan: in the run that asks, and in those around it.
 * `path` is from the root. Null where it leads to no step of that Plan: it was made while the run went on.
 */
export function followsInTree(
  plan: Block & Pick<Plan, 'nested'>,
  path: string,
): Pick<Follows, 'steps' | 'external'> | null {
  const blocks = blocksIn(plan, path.split('/'), plan.nested);
  return blocks.length === 0 ? null : countOf(blocks, plan.nested);
}

function countOf(blocks: BlockAfter[], bodies: Bodies): Pick<Follows, 'steps' | 'external'> {
  const counts = new Map<Hash, number>();
  const external = new Set<string>();
  // A body that many steps call is looked at once.
  const below = (hash: Hash): number => {
    const known = counts.get(hash);
    if (known !== undefined) return known;
    const count = countSteps(ownOf(bodies, hash)?.steps ?? []);
    counts.set(hash, count);
    return count;
  };
  const countSteps = (steps: Step[]): number =>
    steps.reduce((sum, step) => {
      if (step.effect === 'external') external.add(segmentOf(step));
      const within = isBlockStep(step) ? countSteps(step.body.steps) : step.kind === 'workflow' ? below(step.plan) : 0;
      return sum + 1 + within;
    }, 0);
  const steps = blocks.reduce((sum, { after }) => sum + countSteps(after), 0);
  return { steps, external: [...external] };
}

/** The same by block, in the run that asks: the gate's own first, then those around it. */
export function blocksAfter(body: Block, path: string): BlockAfter[] {
  return blocksIn(body, path.split('/'), {});
}

function blocksIn(block: Block | Body, path: string[], bodies: Bodies): BlockAfter[] {
  const [segment = '', ...rest] = path;
  const step = stepNamed(block, segment);
  if (step === undefined) return [];
  const below = isSingle(block) ? path : rest;
  const nested = step.kind === 'workflow' && below.length > 0 ? ownOf(bodies, step.plan) : undefined;
  const isAround = step.kind === 'approval' || step.kind === 'ask' || isBlockStep(step) || nested !== undefined;
  // The round or item stands between a block and its steps; a body of one step has the item's own path.
  const [, ...inner] = below;
  const within = isBlockStep(step) && inner.length > 0 ? blocksIn(step.body, inner, bodies) : [];
  const asked = nested === undefined ? within : blocksIn(nested, below, bodies);
  return [...asked, { block, gate: step, after: [...(isAround ? [] : [step]), ...dependents(block.steps, step)] }];
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
