import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WorkflowStep } from '../../../src/plan/step.js';
import { after, body, commandStep, plan, stepBase } from '../../plan/helpers/build-plan.js';
import type { parentByHand } from '../helpers/by-hand.js';
import { harnessOfFile } from '../helpers/harness.js';

const harness = await harnessOfFile();
const STEPS = 10;
/** Commands that may take longer than a quick step does: ordinary activities, as by hand. */
const TIMEOUT_MS = 60_000;

/** Runs the same by a workflow of Temporal's that was written for nothing else. */
async function byHand(): Promise<string[]> {
  const connection = await NativeConnection.connect({ address: harness.address });
  const worker = await Worker.create({
    connection,
    taskQueue: 'by-hand',
    workflowsPath: fileURLToPath(new URL('../helpers/by-hand.ts', import.meta.url)),
    activities: { act: (step: number) => Promise.resolve(String(step)) },
  });
  const running = worker.run();
  onTestFinished(async () => {
    worker.shutdown();
    await running;
    await connection.close();
  });
  await harness.client.workflow.execute<typeof parentByHand>('parentByHand', {
    taskQueue: 'by-hand',
    workflowId: 'by-hand',
    args: [STEPS],
  });
  return ['by-hand', 'by-hand/child'];
}

async function nested(): Promise<string[]> {
  const steps = Array.from({ length: STEPS }, (_, index) =>
    commandStep(index, ['true'], { timeout_ms: TIMEOUT_MS, needs: index === 0 ? [] : after(index - 1) }),
  );
  const step: WorkflowStep = { ...stepBase(0), kind: 'workflow', workflow: 'ten', plan: 'sha256:ten', inputs: {} };
  const handle = await harness.start(plan([step], { nested: { 'sha256:ten': body(steps, { name: 'ten' }) } }), {
    lease: { steps: 100, slots: 10, usd: 5, tokens: 1_000_000 },
  });
  expect(await handle.result()).toMatchObject({ status: 'success', charged: { steps: STEPS } });
  return [handle.workflowId, `${handle.workflowId}/0`];
}

const eventsOf = async (runs: string[]): Promise<number[]> =>
  Promise.all(runs.map(async (run) => (await harness.events(run)).length));

describe(`nesting a workflow of ${STEPS} steps, with a budget that is lent to it`, () => {
  it('costs at most 1.3 times the events of a child that was written by hand', async () => {
    const [ours, theirs] = [await eventsOf(await nested()), await eventsOf(await byHand())];
    const sum = (counts: number[]): number => counts.reduce((total, count) => total + count, 0);
    expect(sum(ours) / sum(theirs), `${ours.join(' + ')} events, by hand ${theirs.join(' + ')}`).toBeLessThanOrEqual(
      1.3,
    );
  });
});
