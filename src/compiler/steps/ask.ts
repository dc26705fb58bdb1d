import type { Json } from '../../plan/values/json.js';
import { canonicalJson, isObject } from '../../plan/values/json.js';
import type { AskStep } from '../../plan/step.js';
import { fitsInline } from '../../plan/values/value.js';
import { describe } from '../text/check.js';
import { checkJsonSchema } from '../text/check-schema.js';
import type { Node } from '../text/node.js';
import { memberOf } from '../text/node.js';
import { warnOfSpelling } from '../text/written-number.js';
import { compileTemplate } from '../expressions/template.js';
import type { Authored, StepContext } from './base.js';
import { baseOf, NO_LIMIT_MS, usualPolicy } from './base.js';
import { checkOptions, compileRules, gateKeys } from './gate.js';

/** A question to people, whose answer is the output. */
export function compileAskStep(authored: Authored<'ask'>, context: StepContext): AskStep {
  const keys = gateKeys('ask', 'question', context);
  const schema = keys.pick('schema');
  const choices = keys.pick('choices');
  const otherwise = keys.pick('default');
  if (schema !== null) checkJsonSchema(schema, context.report);
  checkOptions(choices, 'a choice', context);
  // What a schema asks for says what is meant.
  if (schema === null)
    for (const answer of [choices, otherwise]) if (answer !== null) warnOfSpelling(answer, context.report);
  if (otherwise !== null) checkDefault(otherwise, choices, context);
  // A default beside choices is one of them.
  for (const answer of choices?.items ?? (otherwise === null ? [] : [otherwise])) checkType(answer, schema, context);
  return {
    kind: 'ask',
    ...baseOf(authored, context),
    deadline_ms: keys.deadline_ms,
    ...usualPolicy(1, NO_LIMIT_MS),
    effect: 'none',
    question: compileTemplate(keys.question, context.templates),
    schema: schema === null ? null : schema.value,
    choices: choices?.items?.map(({ value }) => value) ?? null,
    ...(otherwise === null ? {} : { default: otherwise.value }),
    ...compileRules(keys, context),
  };
}

function checkDefault(written: Node, choices: Node | null, { report }: StepContext): void {
  const isChoice = choices?.items?.some(({ value }) => canonicalJson(value) === canonicalJson(written.value)) ?? true;
  if (!isChoice)
    report({
      code: 'invalid-value',
      at: written,
      message: `Expected the default to be one of the \`choices\`, got \`${JSON.stringify(written.value)}\`.`,
    });
  else if (!fitsInline(written.value))
    report({ code: 'invalid-value', at: written, message: 'Expected a default of at most 512 bytes.' });
}

/** Reports an answer that the schema refuses by its `type`: whoever chose it would be refused, and a default stand. */
function checkType(answer: Node, schema: Node | null, { report }: StepContext): void {
  const type = schema === null ? null : memberOf(schema, 'type');
  if (schema === null || type === null) return;
  const isNullable = memberOf(schema, 'nullable')?.value === true;
  const names = [...(type.items ?? [type]).map(({ value }) => String(value)), ...(isNullable ? ['null'] : [])];
  if (names.length === 0 || names.some((name) => TYPES.get(name)?.(answer.value) ?? true)) return;
  report({
    code: 'invalid-value',
    at: answer,
    message:
      `Expected an answer of the type that \`schema\` asks for, \`${names.join('` or `')}\`, ` +
      `got ${describe(answer.value)}.`,
  });
}

/** The types of JSON Schema; a name that is none is reported where it stands. */
const TYPES = new Map<string, (value: Json) => boolean>([
  ['string', (value) => typeof value === 'string'],
  ['number', (value) => typeof value === 'number'],
  ['integer', (value) => Number.isInteger(value)],
  ['boolean', (value) => typeof value === 'boolean'],
  ['null', (value) => value === null],
  ['array', (value) => Array.isArray(value)],
  ['object', isObject],
]);
