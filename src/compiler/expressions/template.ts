import type { Expression, Template } from '../../plan/values/expression.js';
import type { Text } from '../../plan/values/value.js';
import type { Texts } from '../hash.js';
import { keepText } from '../hash.js';
import type { Node } from '../text/node.js';
import { FLAGS } from '../text/check.js';
import { placesIn } from '../text/node.js';
import type { ExpressionFlaw, Grammar, WrittenReference } from './parse-expression.js';
import { parseExpression } from './parse-expression.js';
import type { Place, Report } from '../problems/problem.js';
import { scanExpression } from './tokens.js';

/** A text cut into what stands as it is and what `${…}` refers to; null marks a part with a reported problem. */
export type Part = string | { expression: Expression | null; source: string };

/**
 * Cuts a text at its `${…}`. `\${` is a literal `${`. What cannot be parsed is handed to `flaw`, which may say what
 * text stands there instead: such a text is not scanned again.
 */
export function parseText(text: string, grammar: Grammar, flaw: (flaw: ExpressionFlaw) => string | null): Part[] {
  const parts: Part[] = [];
  let literal = '';
  let at = 0;
  for (let open = text.indexOf('${'); open !== -1; open = text.indexOf('${', at)) {
    if (open > at && text[open - 1] === '\\') {
      literal += `${text.slice(at, open - 1)}\${`;
      at = open + 2;
      continue;
    }
    literal += text.slice(at, open);
    const { part, end } = parseOne(text, open, grammar, flaw);
    at = end;
    if (typeof part === 'string') literal += part;
    else {
      if (literal !== '') parts.push(literal);
      literal = '';
      parts.push(part);
    }
  }
  literal += text.slice(at);
  if (literal !== '' || parts.length === 0) parts.push(literal);
  return parts;
}

/** The `${…}` that opens at `open`, and where the text goes on. */
function parseOne(
  text: string,
  open: number,
  grammar: Grammar,
  flaw: (flaw: ExpressionFlaw) => string | null,
): { part: Part; end: number } {
  const tokens = scanExpression(text, open + 2);
  if (!Array.isArray(tokens)) {
    const end = nextOpening(text, open + 2);
    return {
      part: flaw({ code: 'invalid-template', ...tokens }) ?? { expression: null, source: text.slice(open, end) },
      end,
    };
  }
  const last = tokens.at(-1);
  const end = last === undefined ? open + 2 : last.start + last.length;
  const source = text.slice(open, end);
  const parsed = parseExpression(tokens, text, grammar);
  if ('expression' in parsed) return { part: { ...parsed, source }, end };
  return { part: flaw(parsed) ?? { expression: null, source }, end };
}

/** A text whose first `${` is broken is read on from the next one. */
function nextOpening(text: string, from: number): number {
  const next = text.indexOf('${', from);
  return next === -1 ? text.length : next;
}

/** Where templates are compiled: what their names mean, and where problems and long texts go. */
export interface TemplateContext {
  resolve: (reference: WrittenReference, at: Place) => Expression | null;
  /** Whether operators and functions may stand in a `${…}`; they may in conditions and in `set`. */
  operators?: boolean;
  report: Report;
  texts: Texts;
}

/** A value with templates anywhere in its texts; keys of maps are never templates. */
export function compileTemplate(node: Node, context: TemplateContext): Template {
  if (node.items !== null) return ofList(node.items.map((item) => compileTemplate(item, context)));
  if (node.members !== null) {
    return ofMap([...node.members].map(([key, member]) => [key, compileTemplate(member.node, context)]));
  }
  if (typeof node.value !== 'string') return { kind: 'literal', value: node.value };
  return ofParts(parseScalar(node, context), context.texts);
}

/** Tells whether a text's only `${…}` had a problem, which was reported. */
export function isFaulty(template: Template): boolean {
  return template.kind === 'literal' && template.value === null;
}

/** The `${…}` that a text without one is to be, also one in the `{{…}}` of other tools; null for what is none. */
export function expressionMeantBy(value: unknown): string | null {
  if (typeof value !== 'string' || value.includes('${')) return null;
  const inner = /^\{\{\s*(.*?)\s*\}\}$/.exec(value.trim())?.[1] ?? value.trim();
  // In other languages a `$` stands before each name.
  return `\${${/["']/.test(inner) ? inner.replace(/^\$(?=[A-Za-z_])/, '') : inner.replace(/\$(?=[A-Za-z_])/g, '')}}`;
}

/** One whole `${…}` with operators, or true or false; null when it is something else, which is reported. */
export function compileCondition(node: Node, context: TemplateContext): Expression | null {
  if (typeof node.value === 'boolean') return { kind: 'literal', value: node.value };
  const parts = typeof node.value === 'string' ? parseScalar(node, { ...context, operators: true }) : [];
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'object') return only.expression;
  const flag = typeof node.value === 'string' ? FLAGS.get(node.value.toLowerCase()) : undefined;
  const meant = expressionMeantBy(node.value);
  // A text in JSON is one of YAML too.
  const text = flag ?? JSON.stringify(meant);
  const isLong = meant?.includes('\n') === true || node.style === 'block';
  context.report({
    code: 'when-not-expression',
    at: node,
    message: 'Expected one `${…}`, or true or false.',
    suggestion: meant === null ? 'write the whole condition inside one ${…}' : `write ${flag ?? `"${meant}"`}`,
    fix: meant === null || isLong ? null : { at: node, text },
  });
  return null;
}

function parseScalar(node: Node, { resolve, report, operators = false }: TemplateContext): Part[] {
  const text = String(node.value);
  const placeOf = placesIn(node);
  const grammar: Grammar = {
    operators,
    resolve: (reference) => resolve(reference, placeOf(reference.start, reference.length)),
  };
  return parseText(text, grammar, ({ code, start, length, message, suggestion }) => {
    report({ code, at: placeOf(start, length), message, suggestion: suggestion ?? cutByComment(node) });
    return null;
  });
}

/** YAML ends an unquoted text at ` #`, also inside `${…}`. */
function cutByComment(node: Node): string | null {
  const cut = node.style === 'plain' && /^[ \t]+#/.test(node.source.text.slice(node.end, node.end + 8));
  return cut ? 'YAML reads ` #` as the start of a comment: put the text in quotes' : null;
}

/** Parts as a template: one whole reference keeps its type, and long texts are named by hash (I2). */
export function ofParts(parts: Part[], texts: Texts): Template {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) {
    if (typeof only === 'object')
      return only.expression === null
        ? { kind: 'literal', value: null }
        : { kind: 'expression', expression: only.expression };
    const text = keepText(only, texts);
    return typeof text === 'string' ? { kind: 'literal', value: text } : { kind: 'text', parts: [text] };
  }
  return {
    kind: 'text',
    parts: parts.flatMap((part): (Text | { expression: Expression })[] => {
      if (typeof part === 'string') return [keepText(part, texts)];
      return part.expression === null ? [] : [{ expression: part.expression }];
    }),
  };
}

function ofList(items: Template[]): Template {
  const values = items.flatMap((item) => (item.kind === 'literal' ? [item.value] : []));
  return values.length === items.length ? { kind: 'literal', value: values } : { kind: 'list', items };
}

function ofMap(entries: [string, Template][]): Template {
  const values = entries.flatMap(([key, entry]) => (entry.kind === 'literal' ? [[key, entry.value] as const] : []));
  return values.length === entries.length
    ? { kind: 'literal', value: Object.fromEntries(values) }
    : { kind: 'map', entries: Object.fromEntries(entries) };
}
