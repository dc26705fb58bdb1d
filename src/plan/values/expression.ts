import type { Json } from './json.js';
import type { Text } from './value.js';

/**
 * What a reference starts from. Written as one string so that it can key an `Environment`: `input:NAME`,
 * `step:INDEX.FIELD` (or `step:INDEX` for the whole result), `group:NAME.FIELD`; in the body of a foreach `item` and
 * `index`, of a loop `index` (the round, from 0) and `last:INDEX.FIELD`, a step's result in the round before.
 * `rework:FIELD` is the last rejection that sent work back. Steps and groups are those of the reference's own scope;
 * each `^` before a root goes one scope outwards. Inputs, and `run:unattended` (the run asks nobody, and takes each
 * gate's fallback), are the same in all scopes of a run and take no `^`.
 */
export type Root = string;

/** Before a root: looked up in the scope around. */
export const OUTER = '^';

/** A parsed `${…}` (I4). Evaluated by the one evaluator in `evaluate.ts`, in the workflow or in an activity. */
export type Expression =
  | { kind: 'literal'; value: Json }
  | { kind: 'reference'; root: Root; path: (string | number)[]; source: string }
  | { kind: 'coalesce'; left: Expression; right: Expression }
  | { kind: 'not'; operand: Expression }
  | { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression }
  | { kind: 'call'; name: FunctionName; operands: Expression[] };

export const BINARY_OPERATORS = ['==', '!=', '<', '<=', '>', '>=', '&&', '||'] as const;
export type BinaryOperator = (typeof BINARY_OPERATORS)[number];

export const FUNCTION_ARITY = { contains: 2, startsWith: 2, endsWith: 2, length: 1, lower: 1 } as const;
export type FunctionName = keyof typeof FUNCTION_ARITY;

/** A piece of text with references in it: parsed once, at compile time, and never scanned again (I4). */
export type Template =
  | { kind: 'literal'; value: Json }
  | { kind: 'text'; parts: (Text | { expression: Expression })[] }
  | { kind: 'expression'; expression: Expression }
  | { kind: 'list'; items: Template[] }
  | { kind: 'map'; entries: Record<string, Template> };

/** Tells whether a template is the empty text, written so. */
export function isEmptyText(template: Template | null): boolean {
  return template?.kind === 'literal' && template.value === '';
}

/** Every reference below an expression, left to right. */
export function referencesOf(expression: Expression): (Expression & { kind: 'reference' })[] {
  switch (expression.kind) {
    case 'literal':
      return [];
    case 'reference':
      return [expression];
    case 'coalesce':
    case 'binary':
      return [...referencesOf(expression.left), ...referencesOf(expression.right)];
    case 'not':
      return referencesOf(expression.operand);
    case 'call':
      return expression.operands.flatMap(referencesOf);
  }
}

/** Every expression inside a template, in the order of the text. */
export function expressionsOf(template: Template): Expression[] {
  switch (template.kind) {
    case 'literal':
      return [];
    case 'expression':
      return [template.expression];
    case 'text':
      return template.parts.flatMap((part) =>
        typeof part === 'object' && 'expression' in part ? [part.expression] : [],
      );
    case 'list':
      return template.items.flatMap(expressionsOf);
    case 'map':
      return Object.values(template.entries).flatMap(expressionsOf);
  }
}

/** The roots that these templates refer to, each once. */
export function rootsOf(templates: Template[]): Root[] {
  const roots = templates
    .flatMap(expressionsOf)
    .flatMap(referencesOf)
    .map(({ root }) => root);
  return [...new Set(roots)];
}

/** A text as it is written in a definition, where none of its `${` shall be read as a reference (I4). */
export function literalText(text: string): string {
  return text.replaceAll('${', '\\${');
}
