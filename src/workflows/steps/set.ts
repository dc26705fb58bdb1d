import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { SetStep } from '../../plan/step.js';
import type { Scope } from '../state/context.js';
import { requirementText } from '../../plan/outcomes/step-ends.js';
import { failed } from '../running/tries.js';
import { conditionHolds, renderedObject } from '../state/values.js';

/**
 * Values by name, computed where they are small, else by an activity (I6). It fails where its condition does not hold.
 */
export async function runSet(scope: Scope, step: SetStep): Promise<StepEnd> {
  const output = await renderedObject(scope, step);
  if (step.require === undefined || (await conditionHolds(scope, step, 'require')))
    return { status: 'success', output };
  return failed({ type: 'not-expected', message: requirementText(output) });
}
