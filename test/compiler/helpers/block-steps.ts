import type { Expression } from '../../../src/plan/values/expression.js';
import { rootsOf } from '../../../src/plan/values/expression.js';
import type { BlockStep, Step } from '../../../src/plan/step.js';
import { isBlockStep } from '../../../src/plan/step.js';
import { templatesOf } from '../../../src/plan/references/step-references.js';
import { planOf } from './temporary-project.js';

export const lines = (...text: string[]): string => `${text.join('\n')}\n`;

export function blockOf(text: string, index = 0): BlockStep {
  const step = planOf(text).steps[index];
  if (step === undefined || !isBlockStep(step))
    throw new Error(`Expected a step with a body, got ${JSON.stringify(step)}`);
  return step;
}

export function bodyOf(step: BlockStep): Step[] {
  return step.body.steps;
}

export const roots = (step: Step | undefined): string[] => (step === undefined ? [] : rootsOf(templatesOf(step)));
export const rootsOfCondition = (expression: Expression): string[] => rootsOf([{ kind: 'expression', expression }]);
export const only = (step: BlockStep): Step => bodyOf(step)[0] as Step;
