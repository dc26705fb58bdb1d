import { bind, isInline } from '../plan/bindings.js';
import type { Environment } from '../plan/environment.js';
import { rootsOf } from '../plan/environment.js';
import { evaluate, isTrue, render } from '../plan/evaluate.js';
import type { Scope } from '../plan/evaluate.js';
import type { Expression, Template } from '../plan/expression.js';
import type { Step } from '../plan/step.js';
import type { Value } from '../plan/value.js';
import { bare, fitsInline, inline } from '../plan/value.js';
import { quick } from './activities.js';
import type { RunContext } from './context.js';
import { sourceOf } from './context.js';

/** What the references of these templates stand for now. */
export function environmentOf(context: RunContext, templates: Template[]): Environment {
  return bind(rootsOf(templates), sourceOf(context));
}

/** Whether a step's condition holds. Evaluated here where all operands are inline, else by an activity (I6). */
export async function conditionHolds(context: RunContext, step: Step, when: Expression): Promise<boolean> {
  const environment = environmentOf(context, [{ kind: 'expression', expression: when }]);
  if (isInline(environment)) return isTrue(evaluate(when, inlineScope(environment)));
  const { root, nested } = context;
  const rendered = await quick.renderValues({ root, nested, environment, what: 'when', step: step.index });
  return isTrue(rendered['when'] !== undefined && 'value' in rendered['when'] ? rendered['when'].value : null);
}

/** A nested step's inputs. Values that only pass through are not touched; the rest is rendered. */
export async function nestedInputs(context: RunContext, step: Step & { kind: 'workflow' }): Promise<Record<string, Value>> {
  const environment = environmentOf(context, Object.values(step.inputs));
  const simple = Object.entries(step.inputs).map(([name, template]) => [name, simpleValue(template, environment)] as const);
  if (simple.every(([, value]) => value !== null)) return Object.fromEntries(simple) as Record<string, Value>; // none is null
  const { root, nested } = context;
  return quick.renderValues({ root, nested, environment, what: 'inputs', step: step.index });
}

/** What the body yields: its `output:`, else its last step's output; null when that step has none. */
export async function bodyOutput(context: RunContext): Promise<Value | null> {
  const template = context.plan.output;
  if (template === null) return context.schedule.steps.at(-1)?.output ?? null;
  const environment = environmentOf(context, [template]);
  const value = simpleValue(template, environment);
  if (value !== null) return value;
  const { root, nested } = context;
  const rendered = await quick.renderValues({ root, nested, environment, what: 'output' });
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
  return binding === undefined || 'missing' in binding || 'result' in binding || 'results' in binding ? null : bare(binding);
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
    load: ({ ref }) => { throw new Error(`Expected an inline value, got ${ref}`); },
    text: (text) => { if (typeof text === 'string') return text; throw new Error(`Expected an inline text, got ${text.text}`); },
  };
}
