// @seconds 35
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Plan } from '../../../src/plan/plan.js';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { RoundResult, RunOutcome, StepResult } from '../../../src/plan/result.js';
import type { Expression } from '../../../src/plan/values/expression.js';
import type { Step, WorkflowStep } from '../../../src/plan/step.js';
import { foreach, literal, script, set, single, whole } from '../../plan/helpers/build-blocks.js';
import { after, body, commandStep, plan, stepBase } from '../../plan/helpers/build-plan.js';
import { record } from '../../replay/record.js';
import type { Harness, RunHandle } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { linksOf } from '../helpers/links.js';
import { sendSteer } from '../helpers/updating.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const INPUTS: Plan['inputs'] = { list: { type: 'list', required: true, description: null } };
const LIST = Array.from({ length: 203 }, (_, index) => index);
const isItem = (value: number): Expression => ({
  kind: 'binary',
  operator: '==',
  left: { kind: 'reference', root: 'item', path: [], source: 'item' },
  right: { kind: 'literal', value },
});
const when = [1, 200, 201, 202].map(isItem).reduce((left, right) => ({ kind: 'binary', operator: '||', left, right }));

/**
 * Items 1 and 200 to 202 of a foreach are nested runs, one after the other, in two batch runs. From 200 on each waits
 * for the file `go`.
 */
function each(go: string, more: Partial<Plan> = {}, beside: Step[] = []): Plan {
  const leaf = body(
    [
      script(
        0,
        'test "$1" -lt 200 || until [ -e "$2" ]; do sleep 0.05; done; echo "$1"',
        [whole('input:text'), literal(go)],
        { timeout_ms: 600_000 },
      ),
    ],
    { name: 'leaf' },
  );
  const item: WorkflowStep = {
    ...stepBase(0, { when }),
    kind: 'workflow',
    workflow: 'leaf',
    plan: 'sha256:leaf',
    inputs: { text: whole('item') },
  };
  return plan([foreach(0, whole('input:list'), single(item), { id: 'each', max_parallel: 1 }), ...beside], {
    inputs: INPUTS,
    nested: { 'sha256:leaf': leaf },
    ...more,
  });
}

const outcomeOf = (handle: RunHandle): Promise<RunOutcome> =>
  handle.result().catch((error: unknown) => (error as { cause: { details: [RunOutcome] } }).cause.details[0]);
const rounds = async ({ pages }: StepResult): Promise<RoundResult[]> =>
  // as the interpreter wrote them
  (await Promise.all(pages.map((page) => harness.json(page)))).flat() as unknown as RoundResult[];

/** The outcome of a run whose foreach failed by this batch run, and kept the items that had succeeded. */
async function failed(handle: RunHandle, batch: string, message: string, kept: number[]): Promise<RunOutcome> {
  const outcome = await outcomeOf(handle);
  expect(outcome).toMatchObject({ status: 'error', error: expect.stringContaining(batch) as string });
  expect(outcome.error).toContain(message);
  const { each: ended } = await harness.results(outcome);
  expect(ended).toMatchObject({ status: 'error', output: null });
  if (ended === undefined) throw new Error('no result of the foreach');
  expect((await rounds(ended)).filter(({ status }) => status === 'success').map(({ index }) => index)).toEqual(kept);
  return outcome;
}

type Batch = ReturnType<Harness['client']['workflow']['getHandle']>;
const steer = { id: randomUUID(), by: 'ana', kind: 'abort' } as const;
const ENDS: [string, (batch: Batch, go: string) => Promise<unknown>, string][] = [
  ['cancelled', (batch) => batch.cancel(), 'cancelled'],
  ['terminated', (batch) => batch.terminate('by hand'), ''],
  ['stopped', (batch, go) => sendSteer(batch, steer).then(() => writeFile(go, '')), 'stopped by ana'],
];

/** The last batch run of a run, once the step of its first item runs: one that a limit lets not begin has failed. */
async function batchOf({ workflowId }: RunHandle): Promise<string> {
  const child = harness.client.workflow.getHandle(`${workflowId}/each/200`);
  await expect
    .poll(() =>
      child.describe().then(
        ({ status, raw }) => [status.name, raw.pendingActivities?.length ?? 0],
        () => 'none',
      ),
    )
    .toEqual(['RUNNING', 1]);
  return `${workflowId}/each/200-202`;
}

describe('a batch run of a foreach', () => {
  it.each(ENDS)('that others have %s fails the foreach, and what had ended is kept', async (name, end, message) => {
    const go = join(harness.folder, name);
    const handle = await harness.start(each(go), { input: { list: LIST }, lease: { steps: 500 } });
    const batch = await batchOf(handle);
    await end(harness.client.workflow.getHandle(batch), go);
    const outcome = await failed(handle, batch, message, name === 'stopped' ? [1, 200] : [1]);
    expect(outcome.spend.steps).toBeGreaterThanOrEqual(1);
  });

  it.each(ENDS)(
    'that others have %s fails the foreach of a run that is about to continue as new, and what had ended is kept',
    async (name, end, message) => {
      const [go, begin] = [join(harness.folder, `${name} late`), join(harness.folder, `${name} begins`)];
      const first = script(1, 'until [ -e "$1" ]; do sleep 0.05; done', [literal(begin)], {
        id: 'first',
        timeout_ms: 600_000,
      });
      const many = foreach(2, { kind: 'literal', value: LIST }, single(set(0, { n: whole('item') })), {
        id: 'many',
        needs: after(1),
      });
      const handle = await harness.start(each(go, {}, [first, many]), {
        input: { list: LIST },
        lease: { steps: 500 },
        linkSteps: LIST.length,
      });
      const batch = await batchOf(handle);
      await writeFile(begin, '');
      // Nothing is computed any more, and nothing is under way but the batch run: the rest is for the next Temporal
      // run.
      const isAboutToContinue = async (): Promise<boolean> => {
        const types = (await harness.events(handle.workflowId)).map(({ type }) => type);
        const count = (type: string): number => types.filter((one) => one === type).length;
        const isAtRest =
          types.lastIndexOf('workflowTaskCompleted') > types.lastIndexOf('workflowTaskScheduled') &&
          count('activityTaskScheduled') === count('activityTaskCompleted');
        return isAtRest && count('markerRecorded') >= LIST.length - 1;
      };
      await expect.poll(isAboutToContinue).toBe(true);
      // Its books are closed in the next Temporal run.
      const read = harness.store.readRun.bind(harness.store);
      const isNext = async (): Promise<boolean> =>
        (await harness.client.workflow.getHandle(handle.workflowId).describe()).runId !== handle.firstExecutionRunId;
      const spy = vi.spyOn(harness.store, 'readRun').mockImplementation(async (run) => {
        if (run === batch) await expect.poll(isNext).toBe(true);
        return read(run);
      });
      onTestFinished(() => {
        spy.mockRestore();
      });
      await end(harness.client.workflow.getHandle(batch), go);
      await failed(handle, batch, message, name === 'stopped' ? [1, 200] : [1]);
      expect((await linksOf(harness, handle)).length).toBe(2);
      if (name === 'terminated')
        await record('broken-batch', await harness.client.workflow.getHandle(handle.workflowId).fetchHistory());
    },
  );

  it('that could not be started is charged nothing', async () => {
    const taken = await harness.start(plan([{ ...commandStep(0, ['sleep', '600']) }]), { id: 'taken/each/0-199' });
    const outcome = await outcomeOf(
      await harness.start(each('/'), { id: 'taken', input: { list: LIST }, lease: { steps: 500 } }),
    );
    await taken.terminate();
    expect(outcome).toMatchObject({
      status: 'error',
      error: expect.stringContaining('taken/each/0-199') as string,
      charged: { steps: 0 },
    });
  });

  it("has the limits of the run that started it, not the definition's anew", async () => {
    const made = each('/', { budgets: { ...NO_BUDGETS, max_steps: 1 } });
    // As after `perdure run --max-steps 10`, or an addition to the run's budget.
    expect(await outcomeOf(await harness.start(made, { input: { list: LIST }, lease: { steps: 10 } }))).toMatchObject({
      status: 'success',
      spend: { steps: 4 },
    });
  });
});
