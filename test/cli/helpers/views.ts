import type { RunView, StepView } from '../../../src/cli/observe/view/view.js';
import { DEFAULT_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { StepResult } from '../../../src/plan/result.js';
import { NO_SPEND } from '../../../src/plan/budget/spend.js';
import type { Step } from '../../../src/plan/step.js';
import { inline } from '../../../src/plan/values/value.js';
import { commandStep, stepBase } from '../../plan/helpers/build-plan.js';

/** A moment of a run, for rendering. */
export function runView(steps: StepView[], more: Partial<RunView> = {}): RunView {
  return {
    run: 'full-review-7k2m',
    path: '',
    name: 'full-review',
    plan: 'sha256:3f9c1a00',
    status: 'running',
    error: null,
    output: null,
    steps,
    groups: {},
    spend: { usd: 0.043, tokens: 18_204, steps: 3 },
    budget: { ...DEFAULT_BUDGETS, max_cost_usd: 5 },
    rehearsal: false,
    submittedBy: 'ana',
    input: {},
    startedAt: 0,
    endedAt: null,
    cancelling: false,
    ...more,
  };
}

export function stepView(step: Step, more: Partial<StepView> = {}): StepView {
  return {
    path: step.id ?? String(step.index),
    step,
    actor: step.id ?? step.kind,
    model: null,
    status: 'pending',
    startedAt: null,
    doing: null,
    attempt: 1,
    waitsFor: [],
    result: null,
    spent: NO_SPEND,
    gate: null,
    nested: null,
    others: [],
    rounds: [],
    ...more,
  };
}

export function ended(
  status: StepResult['status'],
  more: Partial<StepResult> = {},
): Pick<StepView, 'status' | 'result'> {
  const result: StepResult = {
    status,
    output: status === 'success' ? inline('') : null,
    error: null,
    failure: null,
    duration_ms: 1000,
    agent: '',
    step_index: 0,
    id: null,
    attempts: 1,
    spend: NO_SPEND,
    reused: false,
    note: null,
    run: null,
    pages: [],
    ...more,
  };
  return { status, result };
}

export const agentStep = (index: number, id: string, group: string | null = null): Step => ({
  ...stepBase(index, { id, parallel_group: group }),
  kind: 'agent',
  agent: 'sha256:agent',
  prompt: null,
  inputs: {},
  model: null,
  schema: null,
  rehearsal: null,
});

export const gateStep = (index: number, id: string): Step => ({
  ...stepBase(index, { id }),
  kind: 'approval',
  message: { kind: 'literal', value: 'Save it?' },
  content: null,
  fallback: 'abort',
});

export { commandStep };
