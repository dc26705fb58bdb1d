import type {
  Comments,
  Condition,
  Constant,
  Definition,
  DefinitionBlock,
  Entry,
  FlowExpression,
  FlowTree,
  Name,
  Quoted,
  Step,
} from './ast.js';
import { writtenCondition } from './parse-condition.js';

const INDENT = '  ';
/** An expression that fits into so many columns stands on one line inside brackets and behind conditions. */
const LINE_WIDTH = 80;

/** A line, and the comment behind it. A text over several lines is one line here. */
interface Line {
  text: string;
  after: string | null;
}

/** A flow's text in canonical form: parsing it gives the same tree. */
export function printFlow({ definitions, body, comments }: FlowTree): string {
  const blocks = [
    ...definitions.map(printAny),
    ...(body === null ? [] : [print(body)]),
    ...(comments.length === 0 ? [] : [comments.map(remark)]),
  ];
  return blocks.map((lines) => `${lines.map(written).join('\n')}\n`).join('\n');
}

function printAny(definition: FlowTree['definitions'][number]): Line[] {
  switch (definition.kind) {
    case 'block':
      return printBlock(definition);
    case 'constant':
      return withComments(definition.comments, printConstant(definition));
    case 'definition':
      return printDefinition(definition, `$${definition.name.text} :=`);
  }
}

function printConstant({ name, value }: Constant): string {
  return `$${name.text} := ${quote(value)}`;
}

function written({ text, after }: Line): string {
  return after === null ? text : `${text} #${after === '' ? '' : ` ${after}`}`;
}

function remark(comment: string): Line {
  return { text: comment === '' ? '#' : `# ${comment}`, after: null };
}

function withComments(comments: Comments, text: string): Line[] {
  return [...comments.before.map(remark), { text, after: comments.after }];
}

function printBlock({ agents, comments }: DefinitionBlock): Line[] {
  const inner = agents.flatMap((agent, index) => {
    const lines = printDefinition(agent, `${key(agent.name)}:`);
    return index < agents.length - 1 ? append(lines, ',') : lines;
  });
  return [...withComments(comments, '@define-agents {'), ...indent(inner), line('}')];
}

function printDefinition({ entries, comments }: Definition, head: string): Line[] {
  const inner = entries.flatMap((entry, index) =>
    withComments(entry.comments, `${printEntry(entry)}${index < entries.length - 1 ? ',' : ''}`),
  );
  return [...withComments(comments, `${head} {`), ...indent(inner), line('}')];
}

function printEntry({ key: name, value }: Entry): string {
  return `${key(name)}: ${Array.isArray(value) ? `[${value.map(quote).join(', ')}]` : quote(value)}`;
}

function key({ text }: Name): string {
  return /^[A-Za-z0-9_]+(?:-+[A-Za-z0-9_]+)*$/.test(text) ? text : `"${text}"`;
}

function quote({ raw }: Quoted): string {
  return `"${raw}"`;
}

function print(expression: FlowExpression): Line[] {
  switch (expression.kind) {
    case 'agent':
    case 'mark':
    case 'ask':
      return withComments(expression.comments, printStep(expression));
    case 'group': {
      const body = print(expression.body);
      const short = onOneLine(expression.body, body);
      if (short !== null) return withComments(expression.comments, `[${short}]`);
      return [
        ...expression.comments.before.map(remark),
        line('['),
        ...indent(body),
        { text: ']', after: expression.comments.after },
      ];
    }
    case 'sequence':
      return joined(expression.items, ' ->');
    case 'parallel':
      return joined(expression.branches, ' ||');
    case 'conditional': {
      const { source, branches } = expression;
      return [
        ...(source === null ? [] : print(source)),
        ...branches.flatMap(({ condition, body }) => printBranch(condition, body)),
      ];
    }
  }
}

function printBranch(condition: Condition, body: FlowExpression): Line[] {
  const head = printCondition(condition);
  const lines = print(body);
  const short = onOneLine(body, lines);
  if (short !== null && condition.comments.after === null && head.length + short.length < LINE_WIDTH)
    return withComments(condition.comments, `${head} ${short}`);
  return [...withComments(condition.comments, head), ...indent(lines)];
}

function printCondition(condition: Condition): string {
  const { capture } = condition;
  return `${writtenCondition(condition)}${capture === null ? '' : `:${capture.text}`}~>`;
}

function printStep(step: Step): string {
  switch (step.kind) {
    case 'agent':
      return `${step.temporary ? '$' : ''}${step.name.text}${instruction(step.instruction)}${capture(step.capture)}`;
    case 'mark':
      return `@${step.name.text}${fallback(step.fallback)}${instruction(step.question)}${capture(step.capture)}`;
    case 'ask':
      return `@ask-human${instruction(step.question)}${capture(step.capture)}`;
  }
}

function fallback(name: (Step & { kind: 'mark' })['fallback']): string {
  return name === null ? '' : `(fallback=${name.text})`;
}

function instruction(text: Quoted | null): string {
  return text === null ? '' : `:${quote(text)}`;
}

function capture(name: Name | null): string {
  return name === null ? '' : `:${name.text}`;
}

/**
 * The lines of an expression as one; null when that does not fit, or there are comments or texts over several lines.
 */
function onOneLine(expression: FlowExpression, lines: Line[]): string | null {
  if (lines.some(({ text, after }) => after !== null || text.trimStart().startsWith('#') || text.includes('\n')))
    return null;
  // Conditions stay on lines of their own, so that the branches of a chain are seen.
  if (hasConditions(expression)) return null;
  const text = lines.map((one) => one.text.trim()).join(' ');
  return text.length <= LINE_WIDTH ? text : null;
}

function hasConditions(expression: FlowExpression): boolean {
  switch (expression.kind) {
    case 'conditional':
      return true;
    case 'group':
      return hasConditions(expression.body);
    case 'sequence':
      return expression.items.some(hasConditions);
    case 'parallel':
      return expression.branches.some(hasConditions);
    default:
      return false;
  }
}

function joined(parts: FlowExpression[], operator: string): Line[] {
  return parts.flatMap((part, index) => (index < parts.length - 1 ? append(print(part), operator) : print(part)));
}

function append(lines: Line[], text: string): Line[] {
  return lines.map((one, index) => (index === lines.length - 1 ? { ...one, text: one.text + text } : one));
}

/** Only the start of a line moves: what is inside a text stays as it is. */
function indent(lines: Line[]): Line[] {
  return lines.map(({ text, after }) => ({ text: `${INDENT}${text}`, after }));
}

function line(text: string): Line {
  return { text, after: null };
}
