import type { StepEnd } from '../../plan/schedule/schedule-state.js';
import type { SetStep } from '../../plan/step.js';
import type { Scope } from '../state/context.js';
import { renderedObject } from '../state/values.js';

/** Values by name, computed where they are small, else by an activity (I6). */
export async function runSet(scope: Scope, step: SetStep): Promise<StepEnd> {
  return { status: 'success', output: await renderedObject(scope, step) };
}
