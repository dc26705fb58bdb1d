import type { SetStep } from '../../plan/step.js';
import { memberOf } from '../text/node.js';
import { warnOfSpelling } from '../text/written-number.js';
import { compileCondition, compileTemplate } from '../expressions/template.js';
import type { Authored, StepContext } from './base.js';
import { baseOf, NO_LIMIT_MS, usualPolicy } from './base.js';

/** Values by name; in their `${…}` operators may stand. */
export function compileSetStep(authored: Authored<'set'>, context: StepContext): SetStep {
  const members = memberOf(context.node, 'set')?.members ?? new Map<string, never>();
  const required = memberOf(context.node, 'require');
  const templates = { ...context.templates, operators: true };
  for (const { node } of members.values()) warnOfSpelling(node, context.report);
  const require = required && compileCondition(required, templates);
  return {
    kind: 'set',
    ...baseOf(authored, context),
    ...usualPolicy(1, NO_LIMIT_MS),
    effect: 'none',
    values: Object.fromEntries([...members].map(([name, member]) => [name, compileTemplate(member.node, templates)])),
    ...(require ? { require } : {}),
  };
}
