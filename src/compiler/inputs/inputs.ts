import type { Json } from '../../plan/values/json.js';
import type { InputType } from '../../plan/values/input-type.js';
import { INPUT_PHRASES, isOfInputType, passedFault } from '../../plan/values/input-type.js';
import type { Template } from '../../plan/values/expression.js';
import type { InputSpec, Step } from '../../plan/step.js';
import type { AuthoredInputs } from '../formats/values.js';
import type { Texts } from '../hash.js';
import { keepText } from '../hash.js';
import { describe } from '../text/check.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf } from '../text/node.js';
import { warnOfSpelling } from '../text/written-number.js';
import type { Report } from '../problems/problem.js';
import { isFaulty } from '../expressions/template.js';
import { RESERVED } from '../expressions/scope.js';
import type { Use } from '../expressions/references.js';
import { targetOf, usesOf, usesOfStep } from '../expressions/references.js';
import { ownOf } from '../../plan/values/own.js';

/** Types of inputs that say that a number is one: it may be written as anybody likes. */
const COUNTS: ReadonlySet<string> = new Set<InputType>(['number', 'integer']);

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
  if (fallback === undefined || written === null) return;
  if (isOfInputType(fallback, type)) {
    if (!COUNTS.has(type)) warnOfSpelling(written, report);
    return;
  }
  report({
    code: 'invalid-value',
    at: written,
    message:
      `Expected the default to be ${INPUT_PHRASES[type]}, as the input is of type \`${type}\`; got ` +
      `${describe(fallback)}.`,
  });
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
  const take = ({ root, guarded }: Use): void => {
    const target = targetOf(root);
    if (target.kind !== 'input' || Object.hasOwn(declared, target.name)) return;
    const known = ownOf(found, target.name) ?? {
      type: 'any',
      required: false,
      description: null,
      ...hoisted.get(target.name),
    };
    found[target.name] = { ...known, required: known.required || !guarded };
  };
  for (const step of steps) usesOfStep(step).forEach(take);
  usesOf([output]).forEach(take);
  return found;
}

/**
 * Reports what a step passes on, written out, that is not of the type of the input that takes it, and numbers whose
 * spelling is lost.
 */
export function checkPassed(
  inputs: Record<string, Template>,
  specs: Record<string, InputSpec>,
  node: Node | null,
  report: Report,
): void {
  for (const [name, template] of Object.entries(inputs)) {
    const spec = ownOf(specs, name);
    const written = node === null ? null : memberOf(node, name);
    if (written === null || template.kind === 'expression') continue;
    if (spec === undefined || !COUNTS.has(spec.type)) warnOfSpelling(written, report);
    if (spec === undefined) continue;
    if (typeof written.value === 'string' && isFaulty(template)) continue;
    const fault = passedFault(name, { value: written.value }, spec.type);
    if (fault !== null) report({ code: 'invalid-value', at: written, message: fault });
  }
}
