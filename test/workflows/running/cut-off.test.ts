// @seconds 20
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WorkflowHandle } from '@temporalio/client';
import { openGates } from '../../../src/cli/observe/view/view.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { RunOutcome } from '../../../src/plan/result.js';
import type { Step, WorkflowStep } from '../../../src/plan/step.js';
import { foreach, literal, single } from '../../plan/helpers/build-blocks.js';
import { body, commandStep, plan, stepBase } from '../../plan/helpers/build-plan.js';
import { outcomeOf } from '../helpers/ended.js';
import type { Harness } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { sendDecision } from '../helpers/updating.js';
import { viewOf } from '../helpers/viewing.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const slow = commandStep(0, ['sleep', '600']);
const nested = (index: number, name: string, fields: Partial<WorkflowStep> = {}): WorkflowStep => ({
  ...stepBase(index, { id: name }),
  kind: 'workflow',
  workflow: name,
  plan: `sha256:${name}`,
  inputs: {},
  ...fields,
});
const two = (first: Partial<WorkflowStep>, more: Step[] = []): Plan =>
  plan([nested(0, 'outer', first), ...more], {
    nested: {
      'sha256:outer': body([nested(0, 'inner')], { name: 'outer' }),
      'sha256:inner': body([slow], { name: 'inner' }),
    },
  });

describe('a nested run that is cut off', () => {
  it.each<[string, Plan, string]>([
    ['a deadline', two({ deadline_ms: 1_500 }), '`outer` did not end within its deadline of 1.5 s'],
    ['the time limit of a try', two({ timeout_ms: 1_500 }), '`outer` did not end within 1.5 s'],
    [
      'a step beside it that stops the run',
      two({}, [commandStep(1, ['sh', '-c', 'sleep 1; exit 1'], { id: 'beside', on_error: 'stop' })]),
      '`beside` failed and stops the run',
    ],
  ])('says why, and so do those below it: %s', async (_, cutting, why) => {
    const { workflowId } = await harness.start(cutting);
    await harness.client.workflow
      .getHandle(workflowId)
      .result()
      .catch(() => undefined);
    for (const [path, step] of [
      ['outer', 'inner'],
      ['outer/inner', '0'],
    ] as const) {
      const record = await harness.store.readRun(`${workflowId}/${path}`);
      expect(record).toMatchObject({ status: 'cancelled', error: `cancelled because ${why}` });
      const results = await harness.results(record as RunOutcome);
      expect(results[step]?.error).toBe(`cancelled: ${why}`);
    }
  });

  it.each<[string, Step, (handle: WorkflowHandle) => Promise<unknown>]>([
    ['a person cancels', slow, (handle) => handle.cancel()],
    ['a step stops the run', commandStep(0, ['sh', '-c', 'exit 1'], { on_error: 'stop' }), () => Promise.resolve()],
  ])('is none of `finally`: %s', async (_, first, act) => {
    const cleanup = nested(1, 'cleanup', { always: true });
    const handle = await harness.start(
      plan([first, cleanup], {
        nested: { 'sha256:cleanup': body([commandStep(0, ['sleep', '1'])], { name: 'cleanup' }) },
      }),
    );
    if (first === slow)
      await expect.poll(async () => (await viewOf(harness, handle.workflowId)).steps[0]?.status, WAIT).toBe('running');
    await act(handle);
    await handle.result().catch(() => undefined);
    const below = harness.client.workflow.getHandle(`${handle.workflowId}/cleanup`);
    expect(await below.result()).toMatchObject({ status: 'success' });
  });

  it('is a batch run: its items tell the deadline of their foreach', async () => {
    const items = Array.from({ length: 201 }, (_, index) => index);
    const each = foreach(0, { kind: 'literal', value: items }, single(nested(0, 'inner', { id: null })), {
      id: 'each',
      deadline_ms: 3_000,
      max_parallel: 2,
    });
    const cutting = plan([each], { nested: { 'sha256:inner': body([slow], { name: 'inner' }) } });
    const { workflowId } = await harness.start(cutting);
    await harness.client.workflow
      .getHandle(workflowId)
      .result()
      .catch(() => undefined);
    const why = '`each` did not end within its deadline of 3 s';
    const record = await harness.store.readRun(`${workflowId}/each/0`);
    expect(record?.error).toBe(`cancelled because ${why}`);
    const [shown] = (await viewOf(harness, workflowId)).steps;
    expect(shown?.rounds.map(({ error }) => error)).toEqual(Array(2).fill(`cancelled: ${why}`));
  });
});

describe('the time limit of a nested run', () => {
  it('stands still while the run waits for a person', async () => {
    const gate: Step = {
      ...stepBase(0, { id: 'ok' }),
      kind: 'approval',
      message: literal('Go on?'),
      content: null,
      fallback: 'abort',
    };
    const waiting = plan([nested(0, 'asks', { timeout_ms: 3_000 }), commandStep(1, ['sleep', '4'], { id: 'beside' })], {
      nested: { 'sha256:asks': body([gate], { name: 'asks' }) },
    });
    const handle = await harness.start(waiting);
    await expect.poll(async () => (await viewOf(harness, handle.workflowId)).steps[1]?.status, WAIT).toBe('success');
    const [open] = openGates(await viewOf(harness, handle.workflowId));
    if (open === undefined) throw new Error('no gate is open');
    const { owner, gate: shown } = open;
    await sendDecision(harness.client.workflow.getHandle(owner), {
      gate: shown.path,
      decision: 'approve',
      hash: shown.hash,
      by: 'ada',
    });
    expect((await outcomeOf(handle)).status).toBe('success');
  });
});

const WAIT = { timeout: 20_000, interval: 200 };
