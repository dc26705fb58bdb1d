import { canonicalJson } from './json.js';
import type { Plan, PlanBody } from './plan.js';
import type { Step, StepKind } from './step.js';

/** What a field is when a packed step does not say it. */
const COMMON = { id: null, needs: [], parallel_group: null, when: null, on_error: 'stop', deadline_ms: null, effect: 'workspace' } as const;
const ONCE = { attempts: 1, backoff_ms: 2_000 } as const;
const FIVE_MINUTES = 300_000;

const OMITTED: Record<StepKind, Record<string, unknown>> = {
  agent: { ...COMMON, timeout_ms: FIVE_MINUTES, retry: { attempts: 3, backoff_ms: 2_000 }, prompt: null, inputs: {}, model: null, schema: null, rehearsal: null },
  command: { ...COMMON, timeout_ms: FIVE_MINUTES, retry: ONCE, cwd: null, env: {}, stdin: null, reads: [], max_output_kb: 100, schema: null },
  workflow: { ...COMMON, timeout_ms: 0, retry: ONCE, inputs: {} },
  approval: { ...COMMON, timeout_ms: 0, retry: ONCE, effect: 'none', content: null, fallback: 'abort' },
};

/** A step without its index, which is its position, and without the fields that say what they say by themselves. */
export type PackedStep = Pick<Step, 'kind'> & Record<string, unknown>;
export type PackedBody = Omit<PlanBody, 'steps'> & { steps: PackedStep[] };

/**
 * A Plan as it travels into history: a third of the size. It is the same Plan under the same hash; nothing but starting
 * a run, reading a run's start and measuring the size of a Plan knows of it.
 */
export type PackedPlan = Omit<Plan, 'steps' | 'nested'> & { steps: PackedStep[]; nested: Record<string, PackedBody> };

export function packPlan(plan: Plan): PackedPlan {
  return { ...packBody(plan), nested: Object.fromEntries(Object.entries(plan.nested).map(([hash, body]) => [hash, packBody(body)])) };
}

function packBody<B extends PlanBody>(body: B): Omit<B, 'steps'> & { steps: PackedStep[] } {
  return { ...body, steps: body.steps.map(packStep) };
}

function packStep({ index: _position, ...step }: Step): PackedStep {
  const omitted = OMITTED[step.kind];
  const said = Object.entries(step).filter(([key, value]) => !Object.hasOwn(omitted, key) || canonicalJson(value) !== canonicalJson(omitted[key]));
  return { kind: step.kind, ...Object.fromEntries(said) };
}

/** The inverse of `packPlan`. */
export function unpackPlan(packed: PackedPlan): Plan {
  const nested = Object.entries(packed.nested).map(([hash, body]) => [hash, unpackBody(body)] as const);
  return { ...unpackBody(packed), nested: Object.fromEntries(nested) };
}

function unpackBody<B extends PackedBody>(body: B): Omit<B, 'steps'> & { steps: Step[] } {
  return { ...body, steps: body.steps.map(unpackStep) };
}

function unpackStep(packed: PackedStep, index: number): Step {
  return { ...OMITTED[packed.kind], ...packed, index } as unknown as Step; // packStep left out exactly these fields
}
