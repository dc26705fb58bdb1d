import type { Plan } from '../../../plan/plan.js';
import { isSingle, joinPath, segmentOf, stepNamed } from '../../../plan/plan.js';
import type { Block, Body, Step } from '../../../plan/step.js';
import { isBlockStep } from '../../../plan/step.js';
import { usageError } from '../../exit-codes.js';

/**
 * The paths that run anew with `--from`, as `runsAnew` reads them: the step, all that depends on it, and all that
 * depends on what is around it, so also the rounds of a loop after its own. `from` is a path as `show` prints it, or
 * the index of a step. Throws a usage error where there is no such step.
 */
export function freshPaths(plan: Plan, from: string): string[] {
  const fresh: string[] = [];
  let block: Block | Body | undefined = plan;
  let path = '';
  const segments = from.split('/');
  for (let position = 0; position < segments.length;) {
    const step: Step | undefined = stepIn(block, segments[position]);
    if (block === undefined || step === undefined) throw unknownStep(block ?? plan, from);
    const here = isSingle(block) ? path : joinPath(path, segmentOf(step));
    fresh.push(...dependentsOf(block, step.index).map((dependent) => joinPath(path, segmentOf(dependent))));
    if (!isSingle(block)) position += 1;
    // An item or a round has its number, and then its own steps, if it has several.
    const number: string | undefined = isBlockStep(step) ? segments[position] : undefined;
    if (number !== undefined) {
      position += 1;
      if (step.kind === 'loop') fresh.push(`${joinPath(here, String(Number(number) + 1))}+`);
    }
    path = number === undefined ? here : joinPath(here, number);
    if (position >= segments.length) fresh.push(path);
    block = isBlockStep(step) ? step.body : step.kind === 'workflow' ? plan.nested[step.plan] : undefined;
  }
  return [...new Set(fresh)];
}

function stepIn(block: Block | Body | undefined, segment: string | undefined): Step | undefined {
  if (block === undefined || segment === undefined) return undefined;
  return stepNamed(block, segment) ?? block.steps.find((one) => String(one.index) === segment);
}

function dependentsOf({ steps }: Block, index: number): Step[] {
  const found = new Set([index]);
  for (let before = 0; before !== found.size;) {
    before = found.size;
    for (const step of steps) if (step.needs.some(({ step: need }) => found.has(need))) found.add(step.index);
  }
  found.delete(index);
  return steps.filter((step) => found.has(step.index));
}

function unknownStep({ steps }: Block, from: string): Error {
  return usageError(
    `There is no step \`${from}\`.`,
    `There are ${steps
      .slice(0, 12)
      .map((step) => `\`${segmentOf(step)}\``)
      .join(', ')}.`,
  );
}
