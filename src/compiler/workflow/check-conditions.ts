import type { Expression } from '../../plan/values/expression.js';
import { expressionsOf } from '../../plan/values/expression.js';
import type { InputType } from '../../plan/values/input-type.js';
import type { Block, Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import { targetOf } from '../expressions/references.js';
import type { Kind, KnownScope, Surroundings } from '../expressions/value-schema.js';
import { itemsOf, kindOf, knownOf } from '../expressions/value-schema.js';
import type { Report } from '../problems/problem.js';
import type { Node } from '../text/node.js';
import { memberOf, placesIn } from '../text/node.js';

type Reference = Expression & { kind: 'reference' };
type Comparison = Expression & { kind: 'binary' };

const A: Record<Kind, string> = {
  text: 'a text',
  number: 'a number',
  boolean: '`true` or `false`',
  list: 'a list',
  object: 'an object',
};
/** What a text may be meant for. */
const WRITTEN: ReadonlySet<Kind> = new Set<Kind>(['number', 'boolean']);
/** Whether there is such a text at all is a question; what it says is none. */
const SAID = /(?:\.(?:error|comment|decided_by)|rework:\w+)$/;

/** One written condition, or a `${…}` of a `set`. */
interface Checked {
  at: Node;
  around: Surroundings;
  report: Report;
}

/**
 * Warns where conditions of a workflow ask of a text what only a number or a boolean can answer: compared with one it
 * is never equal, and alone it holds whatever it says, `false` too. What commands print and what is given on the
 * command line are texts unless a `schema` or a `type` says otherwise. An input that is declared as a text may be asked
 * whether it is given.
 */
export function checkConditions(
  { steps }: { steps: readonly (Step | null)[] },
  nodes: readonly Node[],
  around: Omit<Surroundings, 'scopes'>,
  report: Report,
): void {
  checkSteps({ steps, item: null }, nodes, { ...around, scopes: [] }, report);
}

function checkSteps(scope: KnownScope, nodes: readonly Node[], outer: Surroundings, report: Report): void {
  const around = { ...outer, scopes: [scope, ...outer.scopes] };
  scope.steps.forEach((step, index) => {
    const node = nodes[index];
    if (step !== null && node !== undefined) checkStep(step, node, around, report);
  });
}

function checkStep(step: Step, node: Node, around: Surroundings, report: Report): void {
  const ask = (at: Node | null, expression: Expression | null | undefined, from = around): void => {
    if (at !== null && expression != null) checkCondition(expression, { at, around: from, report });
  };
  ask(memberOf(node, 'when'), step.when);
  if (step.kind === 'set') {
    ask(memberOf(node, 'require'), step.require);
    for (const [name, template] of Object.entries(step.values)) {
      const at = memberOf(memberOf(node, 'set') ?? node, name) ?? node;
      for (const expression of expressionsOf(template)) checkValue(expression, { at, around, report });
    }
  }
  if (!isBlockStep(step)) return;
  const body: KnownScope = {
    steps: step.body.steps,
    item: step.kind === 'foreach' ? itemsOf(step.items, around) : null,
  };
  if (step.kind === 'loop')
    ask(memberOf(memberOf(node, 'loop') ?? node, 'until'), step.until, { ...around, scopes: [body, ...around.scopes] });
  checkSteps(body, bodyNodes(step.body, node), around, report);
}

/** The steps of a body as they are written: the step itself, where it has none of its own. */
function bodyNodes({ single }: Block & { single: boolean }, node: Node): readonly Node[] {
  return single ? [node] : (memberOf(node, 'steps')?.items ?? []);
}

/** An expression that is asked whether it holds. */
function checkCondition(expression: Expression, checked: Checked): void {
  switch (expression.kind) {
    case 'reference':
      warnOfBare(expression, checked);
      return;
    case 'coalesce':
      checkCondition(expression.left, checked);
      checkCondition(expression.right, checked);
      return;
    default:
      checkValue(expression, checked);
  }
}

/** An expression whose value is taken: what is asked whether it holds may stand in it. */
function checkValue(expression: Expression, checked: Checked): void {
  switch (expression.kind) {
    case 'literal':
    case 'reference':
      return;
    case 'coalesce':
      checkValue(expression.left, checked);
      checkValue(expression.right, checked);
      return;
    case 'not':
      checkCondition(expression.operand, checked);
      return;
    case 'call':
      for (const operand of expression.operands) checkValue(operand, checked);
      return;
    case 'binary': {
      const isComparison = expression.operator !== '&&' && expression.operator !== '||';
      if (isComparison) warnOfComparison(expression, checked);
      for (const operand of [expression.left, expression.right])
        (isComparison ? checkValue : checkCondition)(operand, checked);
    }
  }
}

function warnOfBare(reference: Reference, checked: Checked): void {
  const { source, root, path } = reference;
  const input = inputOf(reference);
  const isText = kindOf(knownOf(reference, checked.around)) === 'text';
  if (!(isText || isUntyped(reference, checked.around)) || (path.length === 0 && SAID.test(root))) return;
  if (input !== null && checked.around.inputTypes(input) === 'string') return;
  const any = `\`length(${source}) > 0\` where any text is meant`;
  const typed =
    input !== null
      ? declareAs(input, 'boolean')
      : root.endsWith('.status')
        ? `write \`${source} == "success"\``
        : `write \`${source} == "true"\`, or give the step \`schema: {type: boolean}\``;
  warn(reference, checked, {
    message:
      `${subjectOf(reference, isText)}, and every text but the empty one counts as true here: \`false\` and \`0\`, ` +
      'too.',
    suggestion: root.endsWith('.status') ? typed : `${typed}; write ${any}`,
  });
}

/** Warns of a comparison of two kinds of values that is never true, or with `!=` always. */
function warnOfComparison({ operator, left, right }: Comparison, checked: Checked): void {
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const against = kindOf(knownOf(other, checked.around));
    if (against === null) continue;
    for (const arm of armsOf(one)) {
      if (arm.kind !== 'reference') continue;
      const typed = kindOf(knownOf(arm, checked.around));
      const kind: Kind = typed ?? (isUntyped(arm, checked.around) && WRITTEN.has(against) ? 'text' : against);
      if (kind === against) continue;
      warn(arm, checked, {
        message:
          `${subjectOf(arm, typed !== null, kind)}, and \`${operator}\` compares it with ${A[against]} here: ` +
          `that ${operator === '!=' ? 'always' : 'never'} holds.`,
        suggestion: mendOf(arm, kind, { operator, other, against }),
      });
      return;
    }
  }
}

/** What may be the value: of `a ?? b` either. */
function armsOf(expression: Expression): Expression[] {
  return expression.kind === 'coalesce' ? [...armsOf(expression.left), ...armsOf(expression.right)] : [expression];
}

function mendOf(
  reference: Reference,
  kind: Kind,
  { operator, other, against }: Pick<Comparison, 'operator'> & { other: Expression; against: Kind },
): string | null {
  const literal = other.kind === 'literal' ? other.value : undefined;
  if (kind === 'list') return against === 'number' ? `write \`length(${reference.source})\`` : null;
  if (kind === 'text' && WRITTEN.has(against)) {
    const type = against === 'boolean' ? 'boolean' : Number.isInteger(literal) ? 'integer' : 'number';
    const isText = literal !== undefined && (operator === '==' || operator === '!=');
    return typedAs(reference, type, isText ? `, or compare with a text: \`"${String(literal)}"\`` : '');
  }
  if (kind !== 'text' && typeof literal === 'string' && isWritten(literal, kind))
    return `compare with \`${literal}\`, without quotes`;
  return null;
}

/** How a text comes to be of a type: null where nobody can say it. */
function typedAs({ root, path }: Reference, type: InputType, otherwise: string): string | null {
  const target = targetOf(root);
  if (path.length > 0) return null;
  if (target.kind === 'input') return declareAs(target.name, type);
  return root.endsWith('.output') ? `give the step \`schema: {type: ${type}}\`${otherwise}` : null;
}

function isWritten(text: string, kind: Kind): boolean {
  return kind === 'boolean' ? text === 'true' || text === 'false' : kind === 'number' && /^-?\d+(?:\.\d+)?$/.test(text);
}

function declareAs(input: string, type: InputType): string {
  return `declare it: \`inputs: {${input}: {type: ${type}}}\``;
}

/** The input that a reference is, as a whole. */
function inputOf({ root, path }: Reference): string | null {
  const target = targetOf(root);
  return target.kind === 'input' && path.length === 0 ? target.name : null;
}

/** Tells whether it is an input without a type, which is a text where it is given on the command line. */
function isUntyped(reference: Reference, { inputTypes }: Surroundings): boolean {
  const input = inputOf(reference);
  return input !== null && inputTypes(input) === 'any';
}

function subjectOf({ source, root }: Reference, isTyped: boolean, kind: Kind = 'text'): string {
  if (isTyped) return `\`${source}\` is ${A[kind]}`;
  return `The input \`${source}\` has no type: \`-i ${root.slice('input:'.length)}=…\` gives a text`;
}

function warn(
  { source }: Reference,
  { at, report }: Checked,
  told: { message: string; suggestion: string | null },
): void {
  const start = typeof at.value === 'string' ? at.value.indexOf(source) : -1;
  report({
    code: 'text-condition',
    severity: 'warning',
    at: start === -1 ? at : placesIn(at)(start, source.length),
    ...told,
  });
}
