import { NO_BUDGETS } from '../../plan/budget/budgets.js';
import type { PlanStep } from '../../plan/step.js';
import { smallerOf } from '../project/generated-rules.js';
import { keyOf, memberOf } from '../text/node.js';
import { warnOfSpelling } from '../text/written-number.js';
import { compileTemplate, isFaulty } from '../expressions/template.js';
import type { Authored, StepContext } from './base.js';
import { baseOf, mapAt, NO_LIMIT_MS, templateAt, usualPolicy } from './base.js';

/** A workflow that is made while the run runs; null when nothing says what it is made from. */
export function compilePlanStep(authored: Authored<'plan'>, context: StepContext): PlanStep | null {
  const { node, generated, templates, report } = context;
  const at = memberOf(node, 'plan') ?? node;
  const source = compileTemplate(at, templates);
  const inputs = mapAt('inputs', context);
  const given = memberOf(node, 'inputs');
  if (given !== null) warnOfSpelling(given, report);
  const base = baseOf(authored, context);
  if (typeof at.value === 'string' && source.kind !== 'expression' && !isFaulty(source)) {
    report({
      code: 'invalid-value',
      at,
      message: 'Expected one `${…}` that gives a workflow, as a map or as its text.',
      suggestion: 'a workflow that has a file is named by `workflow:`',
    });
    return null;
  }
  if (authored.foreach !== undefined || authored.loop !== undefined) {
    const key = authored.foreach === undefined ? 'loop' : 'foreach';
    report({
      code: 'conflicting-keys',
      at: keyOf(node, key),
      message: 'What an agent makes runs once: people approve it once.',
      suggestion: `leave \`${key}\` out`,
    });
    return null;
  }
  return {
    kind: 'plan',
    ...base,
    ...usualPolicy(1, NO_LIMIT_MS),
    source,
    inputs,
    kinds: generated.kinds,
    budgets: smallerOf(authored.budgets ?? {}, generated.budgets),
    ...(authored.budgets === undefined ? {} : { limits: smallerOf(authored.budgets, NO_BUDGETS) }),
    message: templateAt('message', context) ?? { kind: 'literal', value: 'Run this workflow?' },
    fallback: authored.fallback ?? 'abort',
  };
}
