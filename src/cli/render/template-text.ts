import type { Expression, Template } from '../../plan/values/expression.js';

/** A template as its author wrote it, near enough for people. */
export function templateText(template: Template): string {
  switch (template.kind) {
    case 'literal':
      return typeof template.value === 'string' ? template.value : JSON.stringify(template.value);
    case 'expression':
      return `\${${expressionText(template.expression)}}`;
    case 'text':
      return template.parts
        .map((part) =>
          typeof part === 'string' ? part : 'expression' in part ? `\${${expressionText(part.expression)}}` : '…',
        )
        .join('');
    case 'list':
      return `[${template.items.map(templateText).join(', ')}]`;
    case 'map':
      return `{${Object.entries(template.entries)
        .map(([key, value]) => `${key}: ${templateText(value)}`)
        .join(', ')}}`;
  }
}

/** How tightly a kind of expression binds, the loosest first; a part that binds less stands in brackets. */
const BINDS = {
  coalesce: 0,
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  not: 5,
  whole: 6,
} as const;

function bindingOf(expression: Expression): number {
  return expression.kind === 'coalesce' || expression.kind === 'not'
    ? BINDS[expression.kind]
    : expression.kind === 'binary'
      ? BINDS[expression.operator]
      : BINDS.whole;
}

/** An expression as its author wrote it, near enough for people; read again it means the same. */
export function expressionText(expression: Expression): string {
  const own = bindingOf(expression);
  const part = (inner: Expression, least: number): string =>
    bindingOf(inner) < least ? `(${expressionText(inner)})` : expressionText(inner);
  switch (expression.kind) {
    case 'literal':
      return JSON.stringify(expression.value);
    case 'reference':
      return expression.source;
    case 'coalesce':
      return `${part(expression.left, own + 1)} ?? ${part(expression.right, own)}`;
    case 'not':
      return `!${part(expression.operand, own)}`;
    case 'binary':
      return `${part(expression.left, own)} ${expression.operator} ${part(expression.right, own + 1)}`;
    case 'call':
      return `${expression.name}(${expression.operands.map(expressionText).join(', ')})`;
  }
}
