import type { Expression, Template } from '../../plan/values/expression.js';
import type { InputSpec } from '../../plan/step.js';
import { EVENT } from '../../plan/triggers/schedule.js';
import { checkPassed } from '../inputs/inputs.js';
import type { WrittenReference } from '../expressions/parse-expression.js';
import type { TemplateContext } from '../expressions/template.js';
import { compileTemplate } from '../expressions/template.js';
import type { Texts } from '../hash.js';
import { didYouMean } from '../problems/did-you-mean.js';
import type { Place, Report } from '../problems/problem.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf } from '../text/node.js';

/** What templates of a trigger may refer to: `${event.…}`, of which these are the fields. */
export function eventTemplates(fields: readonly string[], { report, texts }: EventTools): TemplateContext {
  const resolve = ({ path, source }: WrittenReference, at: Place): Expression | null => {
    const [first, field, ...rest] = path;
    if (first !== EVENT) {
      report({
        code: 'unknown-variable',
        at,
        message: `What starts a run knows \`\${event.…}\` and nothing else, got \`${source}\`.`,
        suggestion: `write one of ${fields.map((one) => `\`\${event.${one}}\``).join(', ')}`,
      });
      return null;
    }
    if (field !== undefined && !fields.includes(String(field))) {
      const message = `The event has no \`${String(field)}\`; it has ${fields.join(', ')}.`;
      report({ code: 'unknown-field', at, message, suggestion: didYouMean(String(field), fields) });
      return null;
    }
    return { kind: 'reference', root: `input:${EVENT}`, path: field === undefined ? [] : [field, ...rest], source };
  };
  return { resolve, operators: true, report, texts };
}

export interface EventTools {
  report: Report;
  texts: Texts;
}

/** The inputs of a trigger, held against what the workflow takes. `specs` is null where that is not known. */
export function compileInputs(
  node: Node,
  specs: Record<string, InputSpec> | null,
  context: TemplateContext,
): Record<string, Template> {
  const { report } = context;
  const written = memberOf(node, 'inputs');
  const members = [...(written?.members ?? [])];
  const inputs = Object.fromEntries(members.map(([name, member]) => [name, compileTemplate(member.node, context)]));
  if (specs === null) return inputs;
  for (const name of Object.keys(inputs)) {
    if (Object.hasOwn(specs, name)) continue;
    const known = Object.keys(specs);
    report({
      code: 'unknown-input',
      at: keyOf(written ?? node, name),
      message: `The workflow has no input \`${name}\`.`,
      suggestion: didYouMean(name, known) ?? (known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`),
    });
  }
  for (const [name, { required }] of Object.entries(specs)) {
    if (!required || Object.hasOwn(inputs, name)) continue;
    report({
      code: 'missing-input',
      at: written === null ? keyOf(node, '') : keyOf(written, ''),
      message: `The workflow needs the input \`${name}\`, and nobody is there to give it.`,
      suggestion: `give it here: inputs: {${name}: …}`,
    });
  }
  checkPassed(inputs, specs, written, report);
  return inputs;
}
