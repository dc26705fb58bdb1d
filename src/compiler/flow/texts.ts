import type { Template } from '../../plan/values/expression.js';
import type { Quoted } from '../formats/flow/ast.js';
import type { InstructionPart } from '../formats/flow/instruction.js';
import { cutInstruction } from '../formats/flow/instruction.js';
import type { Texts } from '../hash.js';
import { didYouMean, meansPerhaps } from '../problems/did-you-mean.js';
import type { Place, Report } from '../problems/problem.js';
import { ofParts } from '../expressions/template.js';
import type { ConstantPart, Constants } from './constants.js';
import type { Frame, Late } from './frame.js';
import { literal } from './frame.js';
import type { FlowInputs } from './inputs.js';
import { REQUEST } from './inputs.js';
import type { Ledger, Names } from './names.js';
import { knownNames, producersOf, valueOf } from './names.js';

/** What texts and conditions of a flow refer to. */
export interface Vocabulary {
  inputs: FlowInputs;
  constants: Constants;
  ledger: Ledger;
  texts: Texts;
  report: Report;
}

/** A text with references, to be written down where its step stands. */
export type LateTemplate = (from: Frame) => Template;

/** An instruction or a question as a template: `{name}` is what was captured before, `{{name}}` a parameter. */
export function templateOf(quoted: Quoted, names: Names, vocabulary: Vocabulary): LateTemplate {
  warnOfHyphens(quoted, names, vocabulary.report);
  const parts = partsOf(quoted, names, vocabulary);
  return (from) =>
    ofParts(
      parts.map((part) =>
        typeof part === 'string' ? part : { expression: part.value?.(from) ?? null, source: part.source },
      ),
      vocabulary.texts,
    );
}

/** The pieces of a text: what it says itself, and what is put in. Constants are put in as their own pieces. */
export function partsOf(quoted: Quoted, names: Names, vocabulary: Vocabulary): ConstantPart[] {
  const parts: ConstantPart[] = [];
  const add = (part: ConstantPart): void => {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else parts.push(part);
  };
  for (const part of cutInstruction(quoted.raw)) {
    const constant =
      part.kind === 'reference' && part.path.length === 0 ? vocabulary.constants.get(part.name) : undefined;
    if (constant !== undefined) constant.forEach(add);
    else if (part.kind === 'text') add(part.text);
    else add({ value: partValue(part, quoted, names, vocabulary), source: part.source });
  }
  return parts;
}

/** Such braces are text, and were most likely meant for something that was captured. */
function warnOfHyphens({ raw, placeOf }: Quoted, names: Names, report: Report): void {
  for (const { 0: whole, 1: name = '', index } of raw.matchAll(/(?<![\\{])\{([A-Za-z_]\w*(?:-\w+)+)\}/g)) {
    const plain = name.replaceAll('-', '_');
    const meant = knownNames(names).find((known) => known === name || known === plain);
    if (meant === undefined) continue;
    const suggestion =
      meant === plain ? meansPerhaps(`{${plain}}`) : `capture it as \`${plain}\`, and write \`{${plain}}\``;
    report({
      code: 'unknown-variable',
      severity: 'warning',
      at: placeOf(index, whole.length),
      message: `\`${whole}\` stays as it is: no name in braces has a \`-\`.`,
      suggestion,
    });
  }
}

function partValue(
  part: Exclude<InstructionPart, { kind: 'text' }>,
  quoted: Quoted,
  names: Names,
  vocabulary: Vocabulary,
): Late | null {
  const at = quoted.placeOf(part.start, part.length);
  if (part.kind === 'parameter') return vocabulary.inputs.parameter(part.name, part.default, at);
  return variable({ name: part.name, path: part.path, type: null }, at, names, vocabulary);
}

/**
 * The value of a variable, a declared parameter or the request; null when there is none of that name, which is
 * reported.
 */
export function variable(
  { name, path, type }: { name: string; path: (string | number)[]; type: 'number' | null },
  at: Place,
  names: Names,
  vocabulary: Vocabulary,
): Late | null {
  const { inputs, constants, ledger, report } = vocabulary;
  const constant = constants.get(name);
  if (constant !== undefined) return constantValue(constant, { name, path }, at, report);
  const producers = producersOf(names, name);
  if (producers !== null) return valueOf(producers, { path, type }, ledger);
  if (inputs.declares(name)) return inputs.parameter(name, null, at);
  if (name === REQUEST) return inputs.request();
  const known = [...knownNames(names), ...constants.keys()];
  const listed = known
    .slice(0, 8)
    .map((one) => `\`${one}\``)
    .join(', ');
  const there =
    known.length === 0
      ? 'nothing is captured before it'
      : `there ${known.length === 1 ? 'is' : 'are'} ${listed}${known.length > 8 ? ' …' : ''}`;
  const suggestion =
    didYouMean(name, known) ?? `capture it: \`agent:"instruction":${name}\`; a brace that means nothing is \`\\{\``;
  report({
    code: 'unknown-variable',
    at,
    message: `No step before this one captures \`${name}\`; ${there}.`,
    suggestion,
  });
  return null;
}

/** The value of a constant as a whole; null where it has none or no such part, which is reported. */
function constantValue(
  parts: ConstantPart[],
  { name, path }: { name: string; path: (string | number)[] },
  at: Place,
  report: Report,
): Late | null {
  const [only = ''] = parts;
  if (path.length === 0 && parts.length <= 1) return typeof only === 'string' ? literal(only) : only.value;
  report({
    code: 'invalid-value',
    at,
    message:
      path.length > 0
        ? `The text \`$${name}\` has no parts.`
        : `The text \`$${name}\` has several pieces: it can be put into a text, and not be compared.`,
  });
  return null;
}
