import type { Expression, Root, Template } from '../plan/expression.js';
import { expressionsOf } from '../plan/expression.js';
import type { Step } from '../plan/step.js';

/** One reference as edges and inputs see it. */
export interface Use {
  root: Root;
  /** Whether nothing is lost when it is missing: a `??` stands after it. */
  guarded: boolean;
}

/** Every reference of some templates and conditions. */
export function usesOf(templates: (Template | null)[], conditions: (Expression | null)[] = []): Use[] {
  const expressions = [...templates.flatMap((template) => (template === null ? [] : expressionsOf(template))), ...conditions];
  const uses: Use[] = [];
  for (const expression of expressions) if (expression !== null) collect(expression, false, uses);
  return uses;
}

function collect(expression: Expression, guarded: boolean, uses: Use[]): void {
  switch (expression.kind) {
    case 'literal':
      return;
    case 'reference':
      uses.push({ root: expression.root, guarded });
      return;
    case 'coalesce':
      collect(expression.left, true, uses);
      collect(expression.right, guarded, uses);
      return;
    case 'not':
      collect(expression.operand, guarded, uses);
      return;
    case 'binary':
      collect(expression.left, guarded, uses);
      collect(expression.right, guarded, uses);
      return;
    case 'call':
      for (const operand of expression.operands) collect(operand, guarded, uses);
  }
}

/** The step a root reads and the field of it, or the group, or the input. */
export function targetOf(root: Root): { kind: 'step'; step: number; field: string } | { kind: 'group' | 'input'; name: string } {
  const colon = root.indexOf(':');
  const kind = root.slice(0, colon);
  const rest = root.slice(colon + 1);
  const dot = rest.indexOf('.');
  const head = dot === -1 ? rest : rest.slice(0, dot);
  if (kind === 'step') return { kind, step: Number(head), field: dot === -1 ? '' : rest.slice(dot + 1) };
  return { kind: kind === 'group' ? 'group' : 'input', name: head };
}

/** Every template of a step, the inputs that a nested run gets included. */
export function templatesOf(step: Step): (Template | null)[] {
  switch (step.kind) {
    case 'agent':
      return [step.prompt, ...Object.values(step.inputs), step.rehearsal];
    case 'command':
      return [...step.argv, step.cwd, ...Object.values(step.env), step.stdin];
    case 'workflow':
      return Object.values(step.inputs);
    case 'approval':
      return [step.message, step.content];
  }
}
