import type { Plan } from '../plan.js';
import { isSingle, joinPath, stepNamed } from '../plan.js';
import { templatesOf } from '../references/step-references.js';
import type { Block, Body, Step } from '../step.js';
import { isBlockStep } from '../step.js';
import { canonicalJson } from '../values/json.js';
import { OUTER } from '../values/expression.js';
import type { CallHead } from './short-call.js';

/** A step of a Plan, and its path with `*` for the number of each item. */
interface Placed {
  step: Step;
  place: string;
}

/**
 * Tells whether the result of a path may have moved to the step of a call, which has the same content: the Plan has no
 * such step there any more, or both are items of one list, which may have got another order. Where the Plan still has
 * it there, or nothing tells the items apart, they are two steps that ask the same, and each comes to its own.
 */
export function mayHaveMoved(plan: Plan, from: string, to: CallHead): boolean {
  const [there, here] = [placeOf(plan, from), placeOf(plan, to.path)];
  // Nobody knows the Plan of what was made in a run.
  if (there === null || here === null) return true;
  return there.place === here.place ? differsByItem(to) : askOf(there.step) !== askOf(here.step);
}

function placeOf(plan: Plan, path: string): Placed | null {
  return stepIn(plan, { block: plan, segments: path.split('/'), place: '' });
}

interface Search {
  block: Block | Body;
  /** What is left of the path. */
  segments: string[];
  place: string;
}

function stepIn(plan: Plan, { block, segments, place }: Search): Placed | null {
  const [segment = '', ...rest] = segments;
  const step = stepNamed(block, segment);
  if (step === undefined) return null;
  const [left, here] = isSingle(block) ? [segments, place] : [rest, joinPath(place, segment)];
  const [next] = left;
  if (next === undefined) return { step, place: here };
  if (isBlockStep(step)) {
    const number = step.kind === 'foreach' ? '*' : next;
    return stepIn(plan, { block: step.body, segments: left.slice(1), place: joinPath(here, number) });
  }
  const nested = step.kind === 'workflow' ? plan.nested[step.plan] : undefined;
  return nested === undefined ? null : stepIn(plan, { block: nested, segments: left, place: here });
}

/** What a step asks of whom, before values are in their places. */
function askOf(step: Step): string {
  const whom = step.kind === 'agent' ? step.agent : step.kind === 'tool' ? step.tool.name : null;
  return canonicalJson({ kind: step.kind, whom, templates: templatesOf({ ...step, when: null }) });
}

/**
 * Tells whether what a step is given may differ between the items that it stands in: by what the body of one holds, and
 * in a nested run by anything.
 */
function differsByItem({ nested, step, environment }: CallHead): boolean {
  const blocks = typeof step === 'number' ? 0 : step.length - 1;
  return Object.keys(environment).some(
    (root) => nested !== null || (!/^(?:input|run):/.test(root) && root.lastIndexOf(OUTER) + 1 < blocks),
  );
}
