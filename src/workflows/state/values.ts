import { bind, isInline } from '../../plan/schedule/bindings.js';
import type { Environment } from '../../plan/references/environment.js';
import { rootsOf } from '../../plan/values/expression.js';
import type { ConditionName } from '../../plan/references/step-references.js';
import { conditionOf } from '../../plan/references/step-references.js';
import { evaluate, isTrue, render } from '../../plan/references/evaluate.js';
import type { Scope } from '../../plan/references/evaluate.js';
import type { Expression, Template } from '../../plan/values/expression.js';
import { lastStepOf } from '../../plan/schedule/schedule.js';
import type { Step } from '../../plan/step.js';
import type { Value } from '../../plan/values/value.js';
import { bare, fitsInline, inline } from '../../plan/values/value.js';
import { quick } from '../activities.js';
import type { Scope as RunScope } from './context.js';
import { addressOf } from './context.js';

/** What the references of these templates stand for now. */
export function environmentOf(scope: RunScope, templates: Template[]): Environment {
  return bind(rootsOf(templates), scope);
}

/**
 * Tells whether a step's `when` holds in its own scope, or a loop's `until` in the scope of the round that has just
 * ended. Evaluated here where all operands are inline, else by an activity (I6).
 */
export async function conditionHolds(scope: RunScope, step: Step, what: ConditionName): Promise<boolean> {
  const condition = conditionOf(step, what);
  if (condition === null) return true;
  const environment = environmentOf(scope, [{ kind: 'expression', expression: condition }]);
  if (isInline(environment)) return isTrue(evaluate(condition, inlineScope(environment)));
  const { root, nested } = scope.context;
  // A round's way ends with the loop itself.
  const rendered = await quick.renderValues({
    root,
    nested,
    environment,
    what,
    step: what === 'until' ? scope.blockPath : addressOf(scope, step),
  });
  const holds = rendered[what];
  return isTrue(holds !== undefined && 'value' in holds ? holds.value : null);
}

/** The steps whose templates are computed before anything acts. */
type ComputedStep = Extract<Step, { kind: 'workflow' | 'plan' | 'foreach' | 'wait' }>;

/** A step's values by name. Those that only pass through are not touched; the rest is rendered. */
export async function renderedValues(
  scope: RunScope,
  step: ComputedStep,
  templates: Record<string, Template>,
): Promise<Record<string, Value>> {
  const environment = environmentOf(scope, Object.values(templates));
  const simple = Object.entries(templates).map(
    ([name, template]) => [name, simpleValue(template, environment)] as const,
  );
  // none is null
  if (simple.every(([, value]) => value !== null)) return Object.fromEntries(simple) as Record<string, Value>;
  const { root, nested } = scope.context;
  return quick.renderValues({ root, nested, environment, what: 'inputs', step: addressOf(scope, step) });
}

/** The object of a `set` step. */
export async function renderedObject(scope: RunScope, step: Step & { kind: 'set' }): Promise<Value> {
  const template: Template = { kind: 'map', entries: step.values };
  const environment = environmentOf(scope, [template]);
  const value = simpleValue(template, environment);
  if (value !== null) return value;
  const { root, nested } = scope.context;
  const rendered = await quick.renderValues({
    root,
    nested,
    environment,
    what: 'object',
    step: addressOf(scope, step),
  });
  return rendered['object'] ?? inline(null);
}

/** What a scope yields: its block's `output:`, else its last step's output; null when that step has none. */
export async function scopeOutput(scope: RunScope): Promise<Value | null> {
  const { body, steps } = scope.schedule;
  if (body.output === null) return steps[lastStepOf(body)?.index ?? -1]?.output ?? null;
  const environment = environmentOf(scope, [body.output]);
  const value = simpleValue(body.output, environment);
  if (value !== null) return value;
  const { root, nested } = scope.context;
  const rendered = await quick.renderValues({
    root,
    nested,
    environment,
    what: 'output',
    ...(scope.blockPath.length === 0 ? {} : { step: scope.blockPath }),
  });
  return rendered['output'] ?? null;
}

/** The value of a template when no stored value has to be read and the result is small; else null. */
function simpleValue(template: Template, environment: Environment): Value | null {
  if (template.kind === 'expression') {
    const whole = wholeValue(template.expression, environment);
    if (whole !== null) return whole;
  }
  if (!isInline(environment) || hasStoredText(template)) return null;
  const value = render(template, inlineScope(environment));
  return fitsInline(value) ? inline(value) : null;
}

/** A reference to a whole value hands it on as it is, wherever it stands. */
function wholeValue(expression: Expression, environment: Environment): Value | null {
  if (expression.kind !== 'reference' || expression.path.length > 0) return null;
  const binding = environment[expression.root];
  return binding === undefined ||
    'missing' in binding ||
    'result' in binding ||
    'results' in binding ||
    'item' in binding
    ? null
    : bare(binding);
}

function hasStoredText(template: Template): boolean {
  switch (template.kind) {
    case 'text':
      return template.parts.some((part) => typeof part === 'object' && 'text' in part);
    case 'list':
      return template.items.some(hasStoredText);
    case 'map':
      return Object.values(template.entries).some(hasStoredText);
    default:
      return false;
  }
}

function inlineScope(environment: Environment): Scope {
  return {
    environment,
    load: ({ ref }) => {
      throw new Error(`Expected an inline value, got ${ref}`);
    },
    text: (text) => {
      if (typeof text === 'string') return text;
      throw new Error(`Expected an inline text, got ${text.text}`);
    },
  };
}
