import type { Decision, DecisionReceipt, Gate } from '../../src/plan/gate.js';
import type { Expression, Template } from '../../src/plan/expression.js';
import { DECIDE, MEMO } from '../../src/plan/names.js';
import type { Plan } from '../../src/plan/plan.js';
import type { ApprovalStep, CommandStep, WorkflowStep } from '../../src/plan/step.js';
import { after, body, commandStep, needs, plan, stepBase } from '../plan/build-plan.js';
import type { Harness, RunHandle } from '../workflows/harness.js';

/** A run whose history is stored, and what happens to it from outside. */
export interface Scenario {
  name: string;
  plan: Plan;
  /** Nested runs whose histories are stored as well, by path. */
  nested?: string[];
  drive?: (harness: Harness, handle: RunHandle) => Promise<void>;
}

const output = (step: number): Expression => ({ kind: 'reference', root: `step:${step}.output`, path: [], source: '' });
const whole = (step: number): Template => ({ kind: 'expression', expression: output(step) });
const cat = (index: number, stdin: Template, base: Partial<CommandStep> = {}): CommandStep => ({ ...commandStep(index, ['cat'], base), stdin });
const gate: ApprovalStep = { ...stepBase(1, { id: 'approve', needs: needs(0) }), kind: 'approval', message: { kind: 'literal', value: 'Go on?' }, content: whole(0), fallback: 'abort' };
const nestedStep = (index: number, name: string): WorkflowStep => ({ ...stepBase(index, { id: name, needs: index === 0 ? [] : needs(index - 1) }), kind: 'workflow', workflow: name, plan: `sha256:${name}`, inputs: { text: whole(0) } });
const leaf = body([cat(0, { kind: 'expression', expression: { kind: 'reference', root: 'input:text', path: [], source: '' } })], { name: 'leaf' });

export const SCENARIOS: Scenario[] = [
  { name: 'sequence', plan: plan([commandStep(0, ['echo', 'one']), cat(1, whole(0), { needs: needs(0) })]) },
  { name: 'stored-values', plan: plan([commandStep(0, ['seq', '1000']), cat(1, whole(0), { needs: needs(0), when: { kind: 'call', name: 'contains', operands: [output(0), { kind: 'literal', value: '777' }] } })], { output: { kind: 'list', items: [whole(1)] } }) },
  { name: 'quick-steps', plan: plan([commandStep(0, ['echo', 'one'], { timeout_ms: 5_000 }), commandStep(1, ['false'], { timeout_ms: 5_000, needs: needs(0), on_error: 'continue' })]) },
  { name: 'failure-continues', plan: plan([commandStep(0, ['false'], { on_error: 'continue' }), commandStep(1, ['echo', 'on'], { needs: after(0) })]) },
  { name: 'failure-stops', plan: plan([commandStep(0, ['false']), commandStep(1, ['sleep', '600']), commandStep(2, ['echo'], { needs: needs(1) })]) },
  { name: 'tries', plan: plan([commandStep(0, ['false'], { retry: { attempts: 3, backoff_ms: 20 } })]) },
  { name: 'deadline', plan: plan([commandStep(0, ['sleep', '600'], { deadline_ms: 300 })]) },
  { name: 'gate-by-update', plan: plan([commandStep(0, ['echo', 'content']), gate]), drive: (harness, handle) => answer(harness, handle, (decision) => handle.executeUpdate<DecisionReceipt, [Decision]>(DECIDE, { args: [decision] })) },
  { name: 'gate-by-signal', plan: plan([commandStep(0, ['echo', 'content']), gate]), drive: (harness, handle) => answer(harness, handle, (decision) => handle.signal(DECIDE, { ...decision, decision: 'reject' })) },
  { name: 'nested', plan: plan([commandStep(0, ['seq', '300']), nestedStep(1, 'leaf'), cat(2, whole(1), { needs: needs(1) })], { nested: { 'sha256:leaf': leaf } }), nested: ['leaf'] },
  { name: 'cancelled', plan: plan([commandStep(0, ['echo', 'x']), gate]), drive: async (harness, handle) => { await openGate(harness, handle); await handle.cancel(); } },
  { name: 'continued', plan: plan(Array.from({ length: 520 }, (_, index) => commandStep(index, ['true'], { needs: index < 20 ? [] : after(index - 20) }))) },
];

async function answer(harness: Harness, handle: RunHandle, decide: (decision: Decision) => Promise<unknown>): Promise<void> {
  const { path, hash } = await openGate(harness, handle);
  await decide({ gate: path, decision: 'approve', hash, by: 'ana', comment: 'seen' });
}

async function openGate(harness: Harness, handle: RunHandle): Promise<Gate> {
  for (;;) {
    const { memo } = await harness.client.workflow.getHandle(handle.workflowId).describe();
    const [gateShown] = (memo?.[MEMO.waiting] ?? []) as Gate[]; // written by the interpreter
    if (gateShown !== undefined) return gateShown;
  }
}
