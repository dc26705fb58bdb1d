import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { Template } from '../../plan/values/expression.js';
import type { InputSpec, Step } from '../../plan/step.js';
import type { AuthoredInputs } from '../formats/values.js';
import type { Texts } from '../hash.js';
import { keepText } from '../hash.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import { RESERVED } from '../expressions/scope.js';
import { targetOf, usesOf, usesOfStep } from '../expressions/references.js';

/** Declared inputs in normal form: `required` unless there is a default or the author says otherwise. */
export function declaredInputs(
  authored: AuthoredInputs | undefined,
  node: Node | null,
  texts: Texts,
  report: Report,
): Record<string, InputSpec> {
  const entries = Object.entries(authored ?? {}).map(([name, spec]): [string, InputSpec] => {
    const { type = 'any', description, default: fallback } = spec ?? {};
    if (node !== null) checkInput(name, type, { node, fallback, report });
    const required = spec?.required ?? fallback === undefined;
    const normal = {
      type,
      required: required && fallback === undefined,
      description: description === undefined ? null : keepText(description, texts),
    };
    return [name, fallback === undefined ? normal : { ...normal, default: fallback }];
  });
  return Object.fromEntries(entries);
}

function checkInput(
  name: string,
  type: InputSpec['type'],
  { node, fallback, report }: { node: Node; fallback: Json | undefined; report: Report },
): void {
  if (RESERVED.has(name))
    report({
      code: 'reserved-name',
      at: keyOf(node, name),
      message: `\`${name}\` is a word of the language; an input needs another name.`,
    });
  const written = memberOf(memberOf(node, name) ?? node, 'default');
  if (fallback === undefined || written === null || hasType(fallback, type)) return;
  report({
    code: 'invalid-value',
    at: written,
    message: `Expected the default to be of type ${type}, as the input is.`,
  });
}

function hasType(value: Json, type: InputSpec['type']): boolean {
  switch (type) {
    case 'any':
      return true;
    case 'list':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return typeof value === type;
  }
}

/**
 * Undeclared inputs that are used, and those that nested workflows need: optional only where a `??` stands after each
 * use.
 */
export function foundInputs(
  steps: Step[],
  output: Template | null,
  declared: Record<string, InputSpec>,
  hoisted: Map<string, InputSpec>,
): Record<string, InputSpec> {
  const found: Record<string, InputSpec> = {};
  const uses = [...steps.flatMap(usesOfStep), ...usesOf([output])];
  for (const { root, guarded } of uses) {
    const target = targetOf(root);
    if (target.kind !== 'input' || Object.hasOwn(declared, target.name)) continue;
    const known = found[target.name] ?? {
      type: 'any',
      required: false,
      description: null,
      ...hoisted.get(target.name),
    };
    found[target.name] = { ...known, required: known.required || !guarded };
  }
  return found;
}
