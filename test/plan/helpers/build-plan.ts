import { canonicalJson } from '../../../src/plan/values/json.js';
import type { Plan, PlanBody } from '../../../src/plan/plan.js';
import { PLAN_VERSION } from '../../../src/plan/plan.js';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { CommandStep, Need, Step, StepBase } from '../../../src/plan/step.js';
import { sha256 } from '../../../src/store/hash.js';
import type { Permissions } from '../../../src/plan/tools/permission.js';

/** Fields that every step has, with the values a sequential command step would get. */
export function stepBase(index: number, base: Partial<StepBase> = {}): StepBase {
  return {
    index,
    id: null,
    needs: [],
    parallel_group: null,
    when: null,
    on_error: 'stop',
    retry: { attempts: 1, backoff_ms: 10 },
    timeout_ms: 60_000,
    deadline_ms: null,
    effect: 'workspace',
    always: false,
    ...base,
  };
}

export function commandStep(index: number, argv: string[], base: Partial<StepBase> = {}): CommandStep {
  return {
    ...stepBase(index, base),
    kind: 'command',
    argv: argv.map((value) => ({ kind: 'literal', value })),
    cwd: null,
    env: {},
    stdin: null,
    reads: [],
    max_output_kb: 100,
    schema: null,
  };
}

/** Nothing is allowed that people are not asked about. */
export const NO_PERMISSIONS: Permissions = {
  commands: [],
  network: false,
  deny: [],
  ask: [],
  allow: [],
  protected: [],
  asking: 'ask',
  escalate_after: 3,
};

/** Edges that make dependents skip when what they need fails. */
export function needs(...steps: number[]): Need[] {
  return steps.map((step) => ({ step, skip: true }));
}

/** Edges of mere order. */
export function after(...steps: number[]): Need[] {
  return steps.map((step) => ({ step, skip: false }));
}

export function body(steps: Step[], more: Partial<PlanBody> = {}): PlanBody {
  return { name: 'test', description: null, inputs: {}, steps, groups: {}, output: null, budgets: NO_BUDGETS, ...more };
}

export function plan(steps: Step[], more: Partial<Plan> = {}): Plan {
  const content = { planVersion: PLAN_VERSION, ...body(steps), agents: {}, nested: {}, ...more } as const;
  return { ...content, hash: sha256(canonicalJson(content)) };
}
