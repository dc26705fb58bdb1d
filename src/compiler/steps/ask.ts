import { canonicalJson } from '../../plan/values/json.js';
import type { AskStep } from '../../plan/step.js';
import { fitsInline } from '../../plan/values/value.js';
import { checkJsonSchema } from '../text/check-schema.js';
import type { Node } from '../text/node.js';
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
  if (otherwise !== null) checkDefault(otherwise, choices, context);
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
