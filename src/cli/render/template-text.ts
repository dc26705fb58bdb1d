import type { Expression, Template } from '../../plan/expression.js';

/** A template as its author wrote it, near enough for people. */
export function templateText(template: Template): string {
  switch (template.kind) {
    case 'literal':
      return typeof template.value === 'string' ? template.value : JSON.stringify(template.value);
    case 'expression':
      return `\${${expressionText(template.expression)}}`;
    case 'text':
      return template.parts.map((part) => (typeof part === 'string' ? part : 'expression' in part ? `\${${expressionText(part.expression)}}` : '…')).join('');
    case 'list':
      return `[${template.items.map(templateText).join(', ')}]`;
    case 'map':
      return `{${Object.entries(template.entries).map(([key, value]) => `${key}: ${templateText(value)}`).join(', ')}}`;
  }
}

/** An expression as its author wrote it, near enough for people. */
export function expressionText(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return JSON.stringify(expression.value);
    case 'reference':
      return expression.source;
    case 'coalesce':
      return `${expressionText(expression.left)} ?? ${expressionText(expression.right)}`;
    case 'not':
      return `!${expressionText(expression.operand)}`;
    case 'binary':
      return `${expressionText(expression.left)} ${expression.operator} ${expressionText(expression.right)}`;
    case 'call':
      return `${expression.name}(${expression.operands.map(expressionText).join(', ')})`;
  }
}
