import { render } from '../plan/evaluate.js';
import type { Template } from '../plan/expression.js';
import type { PlanBody } from '../plan/plan.js';
import type { Activities, RenderCall } from './contract.js';
import type { Dependencies } from './dependencies.js';
import { stepFailure } from './failures.js';
import { loadBody } from './load-step.js';
import { createScope } from './rendering.js';

/** Renders what the workflow cannot: where stored values must be read, or the result may be big (I6). */
export function createRenderValues({ store }: Dependencies): Activities['renderValues'] {
  return async (call) => {
    const { body } = await loadBody(store, call.root, call.nested);
    const templates = Object.entries(templatesOf(body, call));
    const scope = await createScope(store, call.environment, templates.map(([, template]) => template));
    const values = templates.map(async ([name, template]) => [name, await store.put(render(template, scope))] as const);
    return Object.fromEntries(await Promise.all(values));
  };
}

function templatesOf(body: PlanBody, call: RenderCall): Record<string, Template> {
  if (call.what === 'output') return body.output === null ? {} : { output: body.output };
  const step = body.steps[call.step];
  if (call.what === 'when') return step?.when ? { when: { kind: 'expression', expression: step.when } } : {};
  if (step?.kind !== 'workflow') throw stepFailure('internal', `Expected step ${call.step} of \`${body.name}\` to be of kind \`workflow\`, got \`${step?.kind ?? 'none'}\`.`);
  return step.inputs;
}
