import { WorkflowUpdateFailedError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Decision, DecisionReceipt, Gate } from '../../src/plan/gate.js';
import { DECIDE, MEMO } from '../../src/plan/names.js';
import type { ApprovalStep } from '../../src/plan/step.js';
import { after, commandStep, needs, plan, stepBase } from '../plan/build-plan.js';
import type { Harness } from './harness.js';
import { openHarness } from './harness.js';

let harness: Harness;
beforeAll(async () => { harness = await openHarness(); });
afterAll(async () => { await harness.close(); });

function approval(index: number, fields: Partial<ApprovalStep> = {}): ApprovalStep {
  return { ...stepBase(index), kind: 'approval', message: { kind: 'literal', value: 'Save this?' }, content: null, fallback: 'abort', ...fields };
}

const gated = () => plan([
  commandStep(0, ['seq', '1000'], { id: 'report' }),
  approval(1, { id: 'approve', needs: needs(0), content: { kind: 'expression', expression: { kind: 'reference', root: 'step:0.output', path: [], source: '' } } }),
  { ...commandStep(2, ['tail', '-n', '1'], { needs: needs(1) }), stdin: { kind: 'expression', expression: { kind: 'reference', root: 'step:1.output', path: [], source: '' } } },
]);

/** The gates a run waits at, from its memo: what `list --waiting` reads. */
async function openGates(run: string, count = 1): Promise<Gate[]> {
  for (;;) {
    const { memo } = await harness.client.workflow.getHandle(run).describe();
    const gates = (memo?.[MEMO.waiting] ?? []) as Gate[]; // written by the interpreter
    if (gates.length === count) return gates;
  }
}

const decide = (run: string, decision: Decision): Promise<DecisionReceipt> => harness.client.workflow.getHandle(run).executeUpdate<DecisionReceipt, [Decision]>(DECIDE, { args: [decision] });

async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.then(() => null, (reason: unknown) => reason);
  if (!(error instanceof WorkflowUpdateFailedError)) throw new Error('The decision was not refused', { cause: error });
  return error.cause?.message ?? '';
}

describe('a gate', () => {
  it('shows the exact content with its hash, and hands on exactly what was approved', async () => {
    const handle = await harness.start(gated());
    const [gate] = await openGates(handle.workflowId);
    expect(gate).toMatchObject({ path: 'approve', kind: 'approval', message: 'Save this?', fallback: 'abort', content: { bytes: expect.any(Number) as number } });
    expect(gate?.hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(await harness.json(gate?.content ?? null)).toMatch(/999\n1000$/);
    const receipt = await decide(handle.workflowId, { gate: 'approve', decision: 'approve', hash: gate!.hash, by: 'ana', comment: 'fine' });
    expect(receipt).toEqual({ gate: 'approve', decision: 'approve', by: 'ana' });
    const outcome = await handle.result();
    expect(outcome).toMatchObject({ status: 'success', output: { value: '1000' } });
    expect(await harness.results(outcome)).toMatchObject({ approve: { status: 'success', note: 'approved by ana: fine' } });
    expect((await openGates(handle.workflowId, 0))).toEqual([]);
  });

  it('refuses other content, another gate, a malformed decision and a second decision, and leaves no event for a refusal', async () => {
    const handle = await harness.start(plan([approval(0, { id: 'a' }), approval(1, { id: 'b' })]));
    const [a, b] = await openGates(handle.workflowId, 2);
    const before = (await harness.events(handle.workflowId)).length;
    expect(await refusal(decide(handle.workflowId, { gate: 'a', decision: 'approve', hash: 'sha256:old', by: 'ana' }))).toContain('shows other content');
    expect(await refusal(decide(handle.workflowId, { gate: 'c', decision: 'approve', hash: a!.hash, by: 'ana' }))).toBe('No gate `c` is open in this run.');
    expect(await refusal(decide(handle.workflowId, { gate: 'a' } as unknown as Decision))).toContain('Expected a decision');
    expect((await harness.events(handle.workflowId)).filter(({ type }) => type.includes('Update'))).toHaveLength(0);
    expect(before).toBeGreaterThan(0);
    await decide(handle.workflowId, { gate: 'a', decision: 'approve', hash: a!.hash, by: 'ana' });
    expect(await refusal(decide(handle.workflowId, { gate: 'a', decision: 'reject', hash: a!.hash, by: 'bo' }))).toBe('Gate `a` is already decided: approve by ana.');
    await decide(handle.workflowId, { gate: 'b', decision: 'approve', hash: b!.hash, by: 'bo' });
    expect((await handle.result()).status).toBe('success');
  });

  it('takes a plain signal with the same checks, so that Temporal\'s own UI can decide', async () => {
    const handle = await harness.start(gated());
    const [gate] = await openGates(handle.workflowId);
    await handle.signal(DECIDE, { gate: 'approve', decision: 'approve', hash: 'sha256:old', by: 'eve' });
    await handle.signal(DECIDE, 'nonsense');
    expect(await openGates(handle.workflowId)).toEqual([gate]);
    await handle.signal(DECIDE, { gate: 'approve', decision: 'reject', hash: gate!.hash, by: 'ana', comment: 'too short' });
    await expect(handle.result()).rejects.toThrow();
    const record = await harness.store.readRun(handle.workflowId);
    expect(record?.error).toBe('approve: rejected by ana: too short');
  });

  it('of a run that may decide by itself is approved in the submitter\'s name, or takes its fallback', async () => {
    const approved = await (await harness.start(plan([approval(0)]), { settings: { gates: 'approve' } })).result();
    expect(await harness.results(approved)).toMatchObject({ 0: { status: 'success', note: 'approved by tester: by --yes' } });
    const skipped = await (await harness.start(plan([approval(0, { fallback: 'skip' }), commandStep(1, ['echo', 'on'], { needs: after(0) })]), { settings: { gates: 'fallback' } })).result();
    expect(await harness.results(skipped)).toMatchObject({ 0: { status: 'skipped' }, 1: { status: 'success' } });
    await expect((await harness.start(plan([approval(0)]), { settings: { gates: 'fallback' } })).result()).rejects.toThrow();
  });

  it('that nobody decides in time has expired, and its run goes on by its rules', async () => {
    const outcome = await (await harness.start(plan([{ ...approval(0), deadline_ms: 300, on_error: 'continue' }, commandStep(1, ['echo', 'on'], { needs: after(0) })]))).result();
    expect(await harness.results(outcome)).toMatchObject({ 0: { status: 'error', failure: 'expired', error: 'Nobody decided within its deadline of 0.3 s.' }, 1: { status: 'success' } });
  });

  it('ends when its run is cancelled', async () => {
    const handle = await harness.start(plan([approval(0)]));
    await openGates(handle.workflowId);
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect((await harness.store.readRun(handle.workflowId))?.status).toBe('cancelled');
    expect(await openGates(handle.workflowId, 0)).toEqual([]);
  });

  it('survives two thousand signals of strangers: its run continues as new before history gets long', async () => {
    const handle = await harness.start(plan([approval(0, { id: 'hold' })]));
    const [gate] = await openGates(handle.workflowId);
    for (let sent = 0; sent < 2_050; sent += 50) await Promise.all(Array.from({ length: 50 }, (_, index) => harness.client.workflow.getHandle(handle.workflowId).signal(`stranger-${index % 3}`, { sent })));
    while ((await harness.client.workflow.getHandle(handle.workflowId).describe()).runId === handle.firstExecutionRunId);
    expect(await openGates(handle.workflowId)).toEqual([gate]);
    await decide(handle.workflowId, { gate: 'hold', decision: 'approve', hash: gate!.hash, by: 'ana' });
    expect((await handle.result()).status).toBe('success');
  });

  it('stays open, with the same hash, while its run continues as new', async () => {
    const many = Array.from({ length: 505 }, (_, index) => commandStep(index + 1, ['true'], { needs: index < 8 ? [] : after(index - 7) }));
    const handle = await harness.start(plan([approval(0, { id: 'hold' }), ...many]));
    const [gate] = await openGates(handle.workflowId);
    for (;;) {
      const { runId } = await harness.client.workflow.getHandle(handle.workflowId).describe();
      if (runId !== handle.firstExecutionRunId) break;
    }
    const [carried] = await openGates(handle.workflowId);
    expect(carried).toEqual(gate);
    await decide(handle.workflowId, { gate: 'hold', decision: 'approve', hash: gate!.hash, by: 'ana' });
    const outcome = await handle.result();
    expect(outcome.status).toBe('success');
    expect(Object.keys(await harness.results(outcome))).toHaveLength(506);
  });
});
