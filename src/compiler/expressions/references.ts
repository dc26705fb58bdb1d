import type { Expression, Root, Template } from '../../plan/values/expression.js';
import { OUTER, expressionsOf } from '../../plan/values/expression.js';
import type { Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import { templatesOf } from '../../plan/references/step-references.js';

/** One reference as edges and inputs see it. */
export interface Use {
  root: Root;
  /** Whether nothing is lost when it is missing: a `??` stands after it. */
  guarded: boolean;
}

/** Every reference of some templates. */
export function usesOf(templates: (Template | null)[]): Use[] {
  const found: Use[] = [];
  for (const expression of templates.flatMap((template) => (template === null ? [] : expressionsOf(template))))
    collect(expression, false, found);
  return found;
}

/** Steps do not change once they are compiled, but for what `moveUses` is told of. */
const uses = new WeakMap<Step, Use[]>();

/** Every reference of a step in its own scope: its own, and what its body says of the scope around it. */
export function usesOfStep(step: Step): readonly Use[] {
  let known = uses.get(step);
  if (known === undefined) uses.set(step, (known = findUses(step)));
  return known;
}

/** A reference of a step, and the root that it has now that steps have other numbers. */
export interface MovedReference {
  expression: Expression & { kind: 'reference' };
  root: Root;
}

/** Puts right what is known of a step's references, before they are put right themselves. */
export function moveUses(step: Step, moved: readonly MovedReference[]): void {
  for (const use of uses.get(step) ?? [])
    use.root = moved.find(({ expression }) => expression.root === use.root)?.root ?? use.root;
}

function findUses(step: Step): Use[] {
  const own = usesOf(templatesOf(step));
  if (!isBlockStep(step)) return own;
  const { body } = step;
  const until: Template[] = step.kind === 'loop' ? [{ kind: 'expression', expression: step.until }] : [];
  const inner = [...body.steps.flatMap(usesOfStep), ...usesOf([...until, body.output])];
  return [...own, ...inner.flatMap(outwards)];
}

/** A body's reference as the scope around it sees it; nothing where it stays inside. */
function outwards({ root, guarded }: Use): Use[] {
  if (root.startsWith(OUTER)) return [{ root: root.slice(OUTER.length), guarded }];
  return root.startsWith('input:') ? [{ root, guarded }] : [];
}

function collect(expression: Expression, guarded: boolean, found: Use[]): void {
  switch (expression.kind) {
    case 'literal':
      return;
    case 'reference':
      found.push({ root: expression.root, guarded });
      return;
    case 'coalesce':
      collect(expression.left, true, found);
      collect(expression.right, guarded, found);
      return;
    case 'not':
      collect(expression.operand, guarded, found);
      return;
    case 'binary':
      collect(expression.left, guarded, found);
      collect(expression.right, guarded, found);
      return;
    case 'call':
      for (const operand of expression.operands) collect(operand, guarded, found);
  }
}

export type Target =
  { kind: 'step'; step: number; field: string } | { kind: 'group' | 'input'; name: string } | { kind: 'elsewhere' };

/**
 * The step a root reads and the field of it, or the group, or the input; `elsewhere` is another scope, item or round.
 */
export function targetOf(root: Root): Target {
  // By hand: it is asked for every reference of a file at every letter that is typed in it.
  const colon = root.indexOf(':');
  const kind = root.slice(0, Math.max(colon, 0));
  if (kind !== 'step' && kind !== 'group' && kind !== 'input') return { kind: 'elsewhere' };
  const dot = root.indexOf('.', colon);
  const head = dot === -1 ? root.slice(colon + 1) : root.slice(colon + 1, dot);
  if (kind === 'step') return { kind, step: Number(head), field: dot === -1 ? '' : root.slice(dot + 1) };
  return { kind, name: head };
}
