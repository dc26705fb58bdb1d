import { readFile } from 'node:fs/promises';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receiptsIn, statementIn } from '../../../src/activities/gates/receipt.js';
import type { Gate } from '../../../src/plan/gates/gate.js';
import { MEMO } from '../../../src/plan/names.js';
import type { Step } from '../../../src/plan/step.js';
import { literal } from '../../plan/helpers/build-blocks.js';
import { commandStep, needs, plan, stepBase } from '../../plan/helpers/build-plan.js';
import type { Harness } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { sendDecision } from '../helpers/updating.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const RUNS = 8;
const GATES = 6;
/** Of a history with 150 gates: twice that when each writes the full list. */
const MOST_BYTES = 1024 * 1024;
const gate = (index: number): Step => ({
  ...stepBase(index),
  kind: 'approval',
  message: literal('Go on?'),
  content: literal(`content ${index}`),
  fallback: 'abort',
});

describe('gates that open at about one moment', () => {
  // A worker that has lost a run replays it: what their activities ended one after another with, it gets at once.
  it('replay as they ran', async () => {
    const made = plan(Array.from({ length: GATES }, (_, index) => gate(index)));
    const handles = await Promise.all(Array.from({ length: RUNS }, () => harness.start(made)));
    const code = await readFile(new URL('../../../dist/workflow-bundle.js', import.meta.url), 'utf8');
    for (const handle of handles) {
      await expect
        .poll(async () => (((await handle.describe()).memo?.[MEMO.waiting] ?? []) as Gate[]).length)
        .toBe(GATES); // written by the interpreter
      const history = await handle.fetchHistory();
      await Worker.runReplayHistory({ workflowBundle: { code } }, history, handle.workflowId);
    }
    await Promise.all(handles.map((handle) => handle.terminate()));
  });

  it('and are decided at about one moment, with a receipt each, replay as they ran', async () => {
    const gates = Array.from({ length: GATES }, (_, index) => gate(index));
    const steps = gates.map((_, index) => commandStep(GATES + index, ['true'], { needs: needs(index) }));
    const handle = await harness.start(plan([...gates, ...steps]), { settings: { receipts: true } });
    const shown = async (): Promise<Gate[]> => {
      const { memo } = await handle.describe();
      return (memo?.[MEMO.waiting] ?? []) as Gate[]; // written by the interpreter
    };
    await expect.poll(async () => (await shown()).length).toBe(GATES);
    await Promise.all(
      (await shown()).map(({ path, hash }) =>
        sendDecision(handle, { gate: path, decision: 'approve', hash, by: 'ana', via: 'page' }),
      ),
    );
    await handle.result();
    const receipts = await receiptsIn(harness.store, handle.firstExecutionRunId);
    expect(receipts.map((one) => statementIn(one).gate).sort()).toEqual(
      gates.map((_, index) => `${handle.workflowId}/${String(index)}`),
    );
    const code = await readFile(new URL('../../../dist/workflow-bundle.js', import.meta.url), 'utf8');
    await Worker.runReplayHistory({ workflowBundle: { code } }, await handle.fetchHistory(), handle.workflowId);
  });

  it('cost little each when there are too many for the list, and each can be decided', async () => {
    const count = 150;
    const handle = await harness.start(plan(Array.from({ length: count }, (_, index) => gate(index))));
    const shown = async (): Promise<number> => {
      const { memo } = await handle.describe();
      // written by the interpreter
      return ((memo?.[MEMO.waiting] ?? []) as Gate[]).length + ((memo?.[MEMO.unlisted] ?? 0) as number);
    };
    await expect.poll(shown).toBe(count);
    const { memo, raw } = await handle.describe();
    const [first] = memo?.[MEMO.waiting] as Gate[];
    expect(memo?.[MEMO.unlisted]).toBeGreaterThan(0);
    expect(Number(raw.workflowExecutionInfo?.historySizeBytes)).toBeLessThan(MOST_BYTES);
    if (first === undefined) throw new Error('no gate is listed');
    await sendDecision(handle, { gate: first.path, decision: 'approve', hash: first.hash, by: 'ana' });
    await expect.poll(shown).toBe(count - 1);
    await Worker.runReplayHistory(
      {
        workflowBundle: { code: await readFile(new URL('../../../dist/workflow-bundle.js', import.meta.url), 'utf8') },
      },
      await handle.fetchHistory(),
      handle.workflowId,
    );
    await handle.terminate();
  });
});
