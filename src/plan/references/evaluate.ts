import type { Environment, Load } from './environment.js';
import { bindingToJson } from './environment.js';
import type { BinaryOperator, Expression, FunctionName, Template } from '../values/expression.js';
import type { Json } from '../values/json.js';
import { isObject, toText } from '../values/json.js';
import type { Text } from '../values/value.js';

/** Where references and long texts get their values. */
export interface Scope {
  environment: Environment;
  load: Load;
  /** Gives a text of the Plan that stands in the store. */
  text: (text: Text) => string;
}

/**
 * Renders a template. A scalar that is one whole reference keeps its type, null too, and is the empty string when there
 * is nothing (the output of a failed step); inside text, values stand as `toText` says. What is inserted is data and is
 * never scanned again (I4).
 */
export function render(template: Template, scope: Scope): Json {
  switch (template.kind) {
    case 'literal':
      return template.value;
    case 'expression': {
      const value = evaluate(template.expression, scope);
      return value === undefined ? '' : value;
    }
    case 'text':
      return template.parts
        .map((part) =>
          typeof part === 'object' && 'expression' in part
            ? toText(evaluate(part.expression, scope))
            : scope.text(part),
        )
        .join('');
    case 'list':
      return template.items.map((item) => render(item, scope));
    case 'map':
      // fromEntries defines own properties, so that not even a key `__proto__` could reach a prototype (I4).
      return Object.fromEntries(Object.entries(template.entries).map(([key, value]) => [key, render(value, scope)]));
  }
}

/** Renders a template for a place that takes a text: one whole reference to null is the empty string there. */
export function renderToText(template: Template, scope: Scope): string {
  return toText(render(template, scope) ?? '');
}

/** The value of an expression; undefined when what it refers to is not there. */
export function evaluate(expression: Expression, scope: Scope): Json | undefined {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'reference':
      return walk(bindingToJson(scope.environment[expression.root], scope.load), expression.path);
    case 'coalesce':
      return evaluate(expression.left, scope) ?? evaluate(expression.right, scope);
    case 'not':
      return !isTrue(evaluate(expression.operand, scope));
    case 'binary':
      return binary(expression.operator, expression, scope);
    case 'call':
      return call(
        expression.name,
        expression.operands.map((operand) => evaluate(operand, scope)),
      );
  }
}

/** Own properties and list items only: no prototype is ever reachable from a definition (I4). */
function walk(value: Json | undefined, path: (string | number)[]): Json | undefined {
  let current = value;
  for (const segment of path) {
    if (Array.isArray(current)) {
      if (segment === 'length') current = current.length;
      else if (typeof segment === 'number') current = current.at(segment);
      else return undefined;
    } else if (isObject(current) && Object.hasOwn(current, segment)) {
      current = current[segment];
    } else return undefined;
  }
  return current;
}

/** False are: nothing, null, false, 0, the empty text, the empty list. */
export function isTrue(value: Json | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

function binary(operator: BinaryOperator, operands: { left: Expression; right: Expression }, scope: Scope): Json {
  const left = evaluate(operands.left, scope);
  if (operator === '&&') return isTrue(left) && isTrue(evaluate(operands.right, scope));
  if (operator === '||') return isTrue(left) || isTrue(evaluate(operands.right, scope));
  const right = evaluate(operands.right, scope);
  switch (operator) {
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
    case '<':
      return compare(left, right, (order) => order < 0);
    case '<=':
      return compare(left, right, (order) => order <= 0);
    case '>':
      return compare(left, right, (order) => order > 0);
    case '>=':
      return compare(left, right, (order) => order >= 0);
  }
}

function isEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === undefined || right === undefined) return (left ?? null) === (right ?? null);
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isEqual(item, right[index]));
  }
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key], right[key]))
    );
  }
  return left === right;
}

/** Two numbers or two texts; anything else has no order, and every comparison of it is false. */
function compare(left: Json | undefined, right: Json | undefined, holds: (order: number) => boolean): boolean {
  if (typeof left === 'number' && typeof right === 'number') return holds(left - right);
  if (typeof left === 'string' && typeof right === 'string') return holds(left < right ? -1 : left > right ? 1 : 0);
  return false;
}

function call(name: FunctionName, operands: (Json | undefined)[]): Json {
  const [first, second] = operands;
  switch (name) {
    case 'contains':
      return Array.isArray(first)
        ? first.some((item) => isEqual(item, second))
        : toText(first).includes(toText(second));
    case 'startsWith':
      return toText(first).startsWith(toText(second));
    case 'endsWith':
      return toText(first).endsWith(toText(second));
    case 'length':
      return lengthOf(first);
    case 'lower':
      return toText(first).toLowerCase();
  }
}

function lengthOf(value: Json | undefined): number {
  if (Array.isArray(value) || typeof value === 'string') return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}
