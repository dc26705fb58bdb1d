import { conditionOf } from '../../plan/references/step-references.js';
import { render } from '../../plan/references/evaluate.js';
import type { Expression, Template } from '../../plan/values/expression.js';
import type { Json } from '../../plan/values/json.js';
import { isTooDeep, MOST_LEVELS } from '../../plan/values/json-fault.js';
import type { PlanBody } from '../../plan/plan.js';
import type { Block, Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import type { Activities, RenderCall } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { stepFailure } from '../failures.js';
import { loadBody, stepAt } from './load-step.js';
import { createScope } from './template-scope.js';

/**
 * Renders what the workflow cannot: where stored values must be read, or the result may be big (I6). What is small
 * enough for the workflow has no room for too many levels, so these are counted here alone.
 */
export function createRenderValues({ store }: Dependencies): Activities['renderValues'] {
  return async (call) => {
    const { body } = await loadBody(store, call.root, call.nested);
    const templates = Object.entries(templatesOf(body, call));
    const scope = await createScope(
      store,
      call.environment,
      templates.map(([, template]) => template),
    );
    const values = templates.map(
      async ([name, template]) => [name, await store.put(checked(render(template, scope)))] as const,
    );
    return Object.fromEntries(await Promise.all(values));
  };
}

/** A value that holds what it was in the round before grows by its levels with each. */
function checked(value: Json): Json {
  if (!isTooDeep(value)) return value;
  throw stepFailure(
    'value-invalid',
    `Expected a value that has at most ${MOST_LEVELS} levels, got a deeper one. In a loop, hand on only what the ` +
      'next round needs.',
  );
}

function templatesOf(body: PlanBody, call: RenderCall): Record<string, Template> {
  const step = call.step === undefined ? undefined : stepAt(body, call.step);
  switch (call.what) {
    case 'output':
      return outputOf(step !== undefined && isBlockStep(step) ? step.body : body);
    case 'when':
    case 'until':
    case 'require': {
      const condition = step === undefined ? null : conditionOf(step, call.what);
      return condition === null ? {} : { [call.what]: { kind: 'expression', expression: whether(condition) } };
    }
    case 'object':
      return step?.kind === 'set' ? { object: { kind: 'map', entries: step.values } } : {};
    case 'inputs':
      return valuesOf(body, step);
  }
}

function outputOf({ output }: Block): Record<string, Template> {
  return output === null ? {} : { output };
}

function valuesOf(body: PlanBody, step: Step | undefined): Record<string, Template> {
  if (step?.kind === 'workflow' || step?.kind === 'plan') return step.inputs;
  if (step?.kind === 'foreach') return { items: step.items };
  if (step?.kind === 'wait' && step.until !== null) return { until: step.until };
  throw stepFailure(
    'internal',
    `Expected a step of \`${body.name}\` with values to compute, got \`${step?.kind ?? 'none'}\`.`,
  );
}

/** Whether a condition holds, as true or false: a large value would be stored, and nobody sees there what it is. */
function whether(condition: Expression): Expression {
  return { kind: 'not', operand: { kind: 'not', operand: condition } };
}
