import type { Report } from '../problems/problem.js';
import { describe } from './check.js';
import type { Node } from './node.js';
import { memberOf } from './node.js';

/** Limits that leave nothing between them: the lower one, the upper one, and whether both may be the same number. */
const PAIRS = [
  ['minimum', 'maximum', true],
  ['minimum', 'exclusiveMaximum', false],
  ['exclusiveMinimum', 'maximum', false],
  ['exclusiveMinimum', 'exclusiveMaximum', false],
  ['minLength', 'maxLength', true],
  ['minItems', 'maxItems', true],
  ['minProperties', 'maxProperties', true],
  ['minContains', 'maxContains', true],
] as const;

/** Reports limits that no value keeps: every answer would be refused, and asked for again. */
export function checkLimits(schema: Node, report: Report): void {
  for (const [lower, upper, mayMeet] of PAIRS) {
    const least = memberOf(schema, lower)?.value;
    const at = memberOf(schema, upper);
    if (typeof least !== 'number' || at === null || typeof at.value !== 'number') continue;
    if (least < at.value || (mayMeet && least === at.value)) continue;
    report({
      code: 'invalid-schema',
      at,
      message:
        `Expected \`${upper}\` to be ${mayMeet ? 'at least' : 'above'} \`${lower}\`, ${least}: ` +
        'no value keeps both.',
    });
  }
  checkRequired(schema, report);
}

/** A name that must be there and may not be. */
function checkRequired(schema: Node, report: Report): void {
  if (memberOf(schema, 'additionalProperties')?.value !== false) return;
  if (['patternProperties', '$ref', 'allOf'].some((key) => memberOf(schema, key) !== null)) return;
  const properties = memberOf(schema, 'properties');
  for (const name of memberOf(schema, 'required')?.items ?? [])
    if (typeof name.value === 'string' && (properties === null || memberOf(properties, name.value) === null))
      report({
        code: 'invalid-schema',
        at: name,
        message:
          `Expected one of the \`properties\`, got ${describe(name.value)}: ` +
          '`additionalProperties` allows no other.',
      });
}
