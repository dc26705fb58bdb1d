import type { Plan, PlanBody } from '../plan/plan.js';
import type { Step, StepKind } from '../plan/step.js';
import type { Hash } from '../plan/value.js';
import type { Store } from '../store/store.js';
import type { StepCall } from './contract.js';
import { stepFailure } from './failures.js';

/** A step with what is around it in the Plan. */
export interface LoadedStep<S extends Step = Step> {
  plan: Plan;
  body: PlanBody;
  step: S;
}

/** Reads the body that a call names: the root's own, or a nested one. The store keeps Plans parsed. */
export async function loadBody(store: Store, root: { plan: Hash }, nested: Hash | null): Promise<{ plan: Plan; body: PlanBody }> {
  const plan = await store.getPlan(root.plan);
  const body = nested === null ? plan : plan.nested[nested];
  if (body === undefined) throw stepFailure('internal', `The plan \`${root.plan}\` has no nested workflow \`${String(nested)}\`.`);
  return { plan, body };
}

/** Reads the step that a call names. Throws a failure when it is of another kind. */
export async function loadStep<K extends StepKind>(store: Store, call: StepCall, kind: K): Promise<LoadedStep<Extract<Step, { kind: K }>>> {
  const { plan, body } = await loadBody(store, call.root, call.nested);
  const step = body.steps[call.step];
  if (!isKind(step, kind)) throw stepFailure('internal', `Expected step ${call.step} of \`${body.name}\` to be of kind \`${kind}\`, got \`${step?.kind ?? 'none'}\`.`);
  return { plan, body, step };
}

function isKind<K extends StepKind>(step: Step | undefined, kind: K): step is Extract<Step, { kind: K }> {
  return step?.kind === kind;
}
