import { ID } from '../../plan/names.js';
import type { Plan } from '../../plan/plan.js';
import { everyStep } from '../../plan/step.js';
import { RESERVED } from '../expressions/scope.js';
import { nearest } from '../problems/did-you-mean.js';

/**
 * Of the names that a workflow is given, those that it takes though it does not use them: where it declares no inputs
 * at all, and has an agent that is shown them. One that is near a name that it uses is a slip.
 */
export function takenInputs(declared: unknown, plan: Plan, given: readonly string[]): string[] {
  if (declared !== undefined || ![...everyStep(plan)].some(({ kind }) => kind === 'agent')) return [];
  const known = Object.keys(plan.inputs);
  return given.filter((name) => {
    if (known.includes(name) || !ID.test(name) || RESERVED.has(name)) return false;
    return nearest(name, known) === null;
  });
}
