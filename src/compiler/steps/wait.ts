import type { Template } from '../../plan/values/expression.js';
import type { WaitStep } from '../../plan/step.js';
import { LONGEST_WAIT_MS, isMoment } from '../../plan/text/moment.js';
import { describe } from '../text/check.js';
import { millisecondsOf } from '../formats/values.js';
import { memberOf, startOf } from '../text/node.js';
import { compileTemplate } from '../expressions/template.js';
import type { Authored, StepContext } from './base.js';
import { baseOf, NO_LIMIT_MS, usualPolicy } from './base.js';

/** A step that lets time pass; null when it is not said how long. */
export function compileWaitStep(authored: Authored<'wait'>, context: StepContext): WaitStep | null {
  const base = { kind: 'wait', ...baseOf(authored, context), ...usualPolicy(1, NO_LIMIT_MS), effect: 'none' } as const;
  const { wait } = authored;
  if (typeof wait === 'string') return { ...base, for_ms: millisecondsOf(wait), until: null };
  const for_ms = wait.for === undefined ? null : millisecondsOf(wait.for);
  const until = compileUntil(context);
  if ((for_ms === null) !== (wait.until === undefined)) return { ...base, for_ms, until };
  const at = memberOf(context.node, 'wait') ?? context.node;
  if (for_ms === null) context.report({ code: 'missing-key', at: startOf(at), message: 'Expected `for` or `until`.' });
  else
    context.report({
      code: 'conflicting-keys',
      at: startOf(at),
      message: '`for` and `until` both say when to go on.',
      suggestion: 'keep one of them',
    });
  return null;
}

function compileUntil({ node, templates, report }: StepContext): Template | null {
  const wait = memberOf(node, 'wait');
  const until = wait && memberOf(wait, 'until');
  if (!until) return null;
  const template = compileTemplate(until, templates);
  if (template.kind !== 'literal') return template;
  const { value } = template;
  const isTime = typeof value === 'string' && isMoment(value);
  if (isTime && Date.parse(value) - Date.now() <= LONGEST_WAIT_MS) return template;
  const expected = isTime
    ? 'a time within 100 years'
    : 'a time with its offset, such as `2027-01-31T08:00:00Z`, or one `${…}`';
  report({ code: 'invalid-value', at: until, message: `Expected ${expected}; got ${describe(value)}.` });
  return null;
}
