import { evaluate, render } from '../../plan/references/evaluate.js';
import type { Scope } from '../../plan/references/evaluate.js';
import type { Plan } from '../../plan/plan.js';
import { EVENT } from '../../plan/triggers/schedule.js';
import type { PreparedRun } from '../../plan/triggers/start.js';
import type { Template } from '../../plan/values/expression.js';
import { INPUT_PHRASES, isOfInputType } from '../../plan/values/input-type.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { inline } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import { createScope } from '../values/template-scope.js';
import { ownOf } from '../../plan/values/own.js';

const TOLD_CHARACTERS = 200;

/**
 * The input that an event gives a run, with the defaults of its definition. What is missing in the event, or null, is
 * not given. `fault` says what is missing, or of another type than the definition takes.
 */
export async function givenInput(
  { inputs }: Pick<PreparedRun, 'inputs'>,
  { plan, event, store }: { plan: Plan; event: JsonObject; store: Store },
): Promise<{ input: JsonObject } | { fault: string }> {
  const scope = await createScope(store, { [`input:${EVENT}`]: inline(event) }, Object.values(inputs));
  const input: JsonObject = {};
  for (const [name, { type, required, default: otherwise }] of Object.entries(plan.inputs)) {
    const template = ownOf(inputs, name);
    const value = (template === undefined ? undefined : valueOf(template, scope)) ?? otherwise;
    if (value === undefined && !required) continue;
    if (value === undefined || !isOfInputType(value, type)) {
      const got = value === undefined ? 'nothing' : `\`${JSON.stringify(value).slice(0, TOLD_CHARACTERS)}\``;
      return { fault: `Expected the input \`${name}\` of \`${plan.name}\` to be ${INPUT_PHRASES[type]}, got ${got}.` };
    }
    input[name] = value;
  }
  return { input };
}

function valueOf(template: Template, scope: Scope): Json | undefined {
  if (template.kind !== 'expression') return render(template, scope);
  return evaluate(template.expression, scope) ?? undefined;
}
