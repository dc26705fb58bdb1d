import type { GraphNode } from './graph.js';
import { depsOf, takesAll } from './graph.js';
import { freeInput } from './inputs.js';
import type { Site } from './references.js';
import { outputOf, targetOf } from './references.js';
import type { Shape } from './shapes.js';

/** What decides whether a step runs: what it comes after, and its condition in our words. */
export interface Entry {
  needs?: string[];
  after?: string[];
  when?: string;
}

/** The entry of a node; null when its condition has faults, which are reported. */
export function entryOf(node: GraphNode, site: Site): Entry | null {
  const own = conditionOf(node, site);
  if (own === null) return null;
  const { graph } = site.scope;
  const deps = depsOf(node).flatMap((dep) => graph.byId.get(dep) ?? []);
  const steps = deps.map(({ step }) => step);
  const succeeded = (list: GraphNode[]): string[] => list.map(({ step }) => `steps.${step}.status == 'success'`);
  const rule = takesAll(node) ? 'all_success' : (node.said.trigger_rule ?? 'all_success');
  const conditions = [...(own === '' ? [] : [own])];
  switch (rule) {
    case 'all_success':
      conditions.unshift(...succeeded(deps.filter(({ id }) => graph.optional.has(id))));
      break;
    case 'one_success':
      conditions.unshift(joined(succeeded(deps), '||'));
      break;
    case 'none_failed_min_one_success':
      conditions.unshift(
        joined(succeeded(deps), '||'),
        ...steps.flatMap((step) => [`steps.${step}.status != 'error'`, `steps.${step}.status != 'timeout'`]),
      );
      break;
    case 'all_done':
  }
  return {
    ...(steps.length === 0 ? {} : rule === 'all_success' ? { needs: steps } : { after: steps }),
    ...(conditions.length === 0 ? {} : { when: `\${${joined(conditions, '&&')}}` }),
  };
}

/** Conditions as one; each that has `||` stands in brackets among others. */
function joined(conditions: string[], operator: '&&' | '||'): string {
  const [only] = conditions;
  if (only !== undefined && conditions.length === 1) return only;
  return conditions
    .map((condition) => (operator === '&&' && condition.includes('||') ? `(${condition})` : condition))
    .join(` ${operator} `);
}

/** The condition of a node as an expression; empty where it has none. */
function conditionOf(node: GraphNode, site: Site): string | null {
  const { when } = node.said;
  if (when === undefined) return '';
  if (typeof when === 'boolean') return String(when);
  const alternatives = splitOutside(when, '||').map((part) => splitOutside(part.text, '&&', part.start));
  const written = alternatives.map((atoms) => atoms.map((atom) => atomOf(atom, when, site)));
  if (written.flat().some((atom) => atom === null)) return null;
  return written
    .map((atoms) => joined(atoms as string[], '&&')) // none is null
    .map((text, _, all) => (all.length > 1 && text.includes('&&') ? `(${text})` : text))
    .join(' || ');
}

interface Part {
  text: string;
  start: number;
}

/** Cuts at an operator that stands outside of quotes. */
function splitOutside(text: string, operator: string, base = 0): Part[] {
  const parts: Part[] = [];
  let quote = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === "'" || sign === '"') quote = sign;
    else if (text.startsWith(operator, at)) {
      parts.push({ text: text.slice(from, at), start: base + from });
      at += operator.length - 1;
      from = at + 1;
    }
  }
  return [...parts, { text: text.slice(from), start: base + from }];
}

const ATOM = new RegExp(
  [
    String.raw`^\s*\$(?:INPUTS\.([A-Za-z_][\w-]*)|([A-Za-z_][\w-]*)\.([A-Za-z_]\w*)(?:\.([A-Za-z_]\w*))?)`,
    String.raw`\s*(==|!=|<=|>=|<|>)\s*`,
    String.raw`(?:'([^']*)'|"([^"]*)"|(-?\d+(?:\.\d+)?|true|false))\s*$`,
  ].join(''),
);

/** One comparison in our words; null when it is none, or reads what means nothing: that is reported. */
function atomOf({ text, start }: Part, whole: string, site: Site): string | null {
  const { translation, placeOf, node, scope } = site;
  const { report } = translation;
  const at = placeOf(start, Math.max(1, text.length));
  const found = ATOM.exec(text);
  if (found === null) {
    report({
      code: 'when-not-expression',
      at,
      message: `Expected a comparison such as \`$node.output.field == 'value'\`, got \`${text.trim().slice(0, 60)}\`.`,
      suggestion: 'Archon would skip the node: correct the condition, or remove it',
    });
    return null;
  }
  const [, input, id = '', first = '', second, operator = '==', single, double, bare] = found;
  const expected = single ?? double ?? bare ?? '';
  if (input !== undefined) return compared(freeInput(input, translation), operator, expected, UNKNOWN);
  const field = first === 'output' ? (second ?? null) : first;
  const expression = outputOf(id, field, site);
  if (expression === null) {
    const isKnown = targetOf(id, scope, node) !== null || whole.includes(`$${id}`);
    report({
      code: 'unknown-step',
      at,
      message: isKnown ? `No node \`${id}\` has run before \`${node.id}\`.` : `There is no node \`${id}\`.`,
    });
    return null;
  }
  return ofShape({ expression, operator, expected, field }, translation.shapes.get(id) ?? { kind: 'text' }, site, at);
}

const UNKNOWN = Symbol('unknown type');
type Type = 'string' | 'number' | 'boolean' | typeof UNKNOWN;

interface Comparison {
  expression: string;
  operator: string;
  expected: string;
  field: string | null;
}

function ofShape(
  { expression, operator, expected, field }: Comparison,
  shape: Shape,
  { translation: { report } }: Site,
  at: Parameters<typeof report>[0]['at'],
): string | null {
  const refuse = (message: string, suggestion: string): null => {
    report({ code: 'invalid-value', at, message, suggestion });
    return null;
  };
  const isOrder = operator !== '==' && operator !== '!=';
  if (field === null && shape.kind === 'json')
    return refuse('The whole of a JSON output is compared with a text.', 'compare one of its fields');
  if (field === null && isOrder && shape.kind !== 'number')
    return refuse('The text of a model is compared as a number.', 'declare `output_format` and compare a field of it');
  if (isOrder && !Number.isFinite(Number.parseFloat(expected)))
    return refuse(`Expected a number to compare with, got \`${expected}\`.`, 'write a number, or `==`');
  return compared(
    expression,
    operator,
    expected,
    field === null ? (shape.kind === 'number' ? 'number' : 'string') : typeOf(shape, field),
  );
}

function typeOf(shape: Shape, field: string): Type {
  const type = shape.kind === 'json' ? shape.fields.get(field) : undefined;
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'string' || type === 'boolean' ? type : UNKNOWN;
}

/** Archon compares texts; here a value has its type. */
function compared(expression: string, operator: string, expected: string, type: Type): string {
  const path = expression.includes('??') || expected !== '' ? expression : `${expression} ?? ''`;
  const left = path.includes('??') ? `(${path})` : path;
  const isOrder = operator !== '==' && operator !== '!=';
  if (isOrder) return `${left} ${operator} ${Number.parseFloat(expected)}`;
  const asText = quoted(expected);
  const asValue = /^(?:true|false|-?\d+(?:\.\d+)?)$/.test(expected)
    ? String(JSON.parse(expected.replace(/^(-?)0+(?=\d)/, '$1')))
    : asText;
  if (type === 'string' || asValue === asText) return `${left} ${operator} ${asText}`;
  if (type !== UNKNOWN) return `${left} ${operator} ${asValue}`;
  return operator === '=='
    ? `(${left} == ${asText} || ${left} == ${asValue})`
    : `${left} != ${asText} && ${left} != ${asValue}`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n')}'`;
}
