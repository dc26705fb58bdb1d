import type { Plan, PlanBody } from '../../plan/plan.js';
import type { Block, Step } from '../../plan/step.js';
import type { StepKind } from '../../plan/names.js';
import { isBlockStep } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import type { StepAddress, StepCall } from '../contract.js';
import { stepFailure } from '../failures.js';

/** A step with what is around it in the Plan. */
export interface LoadedStep<S extends Step = Step> {
  plan: Plan;
  body: PlanBody;
  step: S;
}

/** Reads the body that a call names: the root's own, or a nested one. The store keeps Plans parsed. */
export async function loadBody(
  store: Store,
  root: { plan: Hash },
  nested: Hash | null,
): Promise<{ plan: Plan; body: PlanBody }> {
  const plan = await store.getPlan(root.plan);
  // A workflow that was made while the run runs is a Plan of its own.
  const body = nested === null || nested === root.plan ? plan : plan.nested[nested];
  if (body === undefined)
    throw stepFailure('internal', `The plan \`${root.plan}\` has no nested workflow \`${String(nested)}\`.`);
  return { plan, body };
}

/** Reads the step that a call names. Throws a failure when it is of another kind. */
export async function loadStep<K extends StepKind>(
  store: Store,
  call: StepCall,
  kind: K,
): Promise<LoadedStep<Extract<Step, { kind: K }>>> {
  const { plan, body } = await loadBody(store, call.root, call.nested);
  const step = stepAt(body, call.step);
  if (!isKind(step, kind))
    throw stepFailure(
      'internal',
      `Expected step ${String(call.step)} of \`${body.name}\` to be of kind \`${kind}\`, got ` +
        `\`${step?.kind ?? 'none'}\`.`,
    );
  return { plan, body, step };
}

/** The step at an address; undefined where there is none. */
export function stepAt(body: Block, address: StepAddress): Step | undefined {
  const [index = -1, ...rest] = typeof address === 'number' ? [address] : address;
  const step = body.steps[index];
  if (rest.length === 0 || step === undefined) return step;
  return isBlockStep(step) ? stepAt(step.body, rest) : undefined;
}

/** The block that the step at an address stands in. */
export function blockAt(body: Block, address: StepAddress): Block {
  const around = typeof address === 'number' ? undefined : stepAt(body, address.slice(0, -1));
  return around !== undefined && isBlockStep(around) ? around.body : body;
}

function isKind<K extends StepKind>(step: Step | undefined, kind: K): step is Extract<Step, { kind: K }> {
  return step?.kind === kind;
}
