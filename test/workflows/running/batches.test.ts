import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGates } from '../../../src/cli/observe/view/view.js';
import type { Expression } from '../../../src/plan/values/expression.js';
import type { Plan, PlanBody } from '../../../src/plan/plan.js';
import type { RunOutcome } from '../../../src/plan/result.js';
import type { Body, Step, WorkflowStep } from '../../../src/plan/step.js';
import { foreach, literal, many, reference, set, single, wait, whole } from '../../plan/helpers/build-blocks.js';
import { after, body, commandStep, needs, plan, stepBase } from '../../plan/helpers/build-plan.js';
import type { Harness, RunHandle } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { linksOf } from '../helpers/links.js';
import { sendDecision } from '../helpers/updating.js';
import { viewOf } from '../helpers/viewing.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

const FULL = process.env['PERDURE_FULL'] === '1';
const INPUTS: Plan['inputs'] = { list: { type: 'list', required: true, description: null } };
const leafStep = (index: number): WorkflowStep => ({
  ...stepBase(index),
  kind: 'workflow',
  workflow: 'leaf',
  plan: 'sha256:leaf',
  inputs: { text: whole('item'), word: whole('^step:0.output') },
});
const said = set(0, { said: whole('input:text'), word: whole('input:word') });

/** A word, then a foreach over the input `list` with one nested run an item, then its output. */
function each(
  leaf: PlanBody,
  fields: Partial<Parameters<typeof foreach>[3]> = {},
  of: Body = single(leafStep(0)),
): Plan {
  return plan(
    [commandStep(0, ['echo', 'hi']), foreach(1, whole('input:list'), of, { id: 'each', needs: needs(0), ...fields })],
    { inputs: INPUTS, nested: { 'sha256:leaf': leaf } },
  );
}

const is = (root: string, value: number): Expression => ({
  kind: 'binary',
  operator: '==',
  left: reference(root),
  right: { kind: 'literal', value },
});
const listOf = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const outcomeOf = (handle: RunHandle): Promise<RunOutcome> =>
  handle.result().catch((error: unknown) => (error as { cause: { details: [RunOutcome] } }).cause.details[0]);

describe('a foreach over more than 200 nested runs', () => {
  it('goes through batch runs; one that waits for a person holds nobody up, and results are in order', async () => {
    const gate: Step = {
      ...stepBase(1, { id: 'ok', needs: after(0), when: is('input:text', 3) }),
      kind: 'approval',
      message: literal('Go on?'),
      content: null,
      fallback: 'abort',
    };
    const leaf = body([said, gate], { name: 'leaf', output: whole('step:0.output') });
    const started = [3, 100, 204];
    const when = started
      .map((item) => is('item', item))
      .reduce((left, right) => ({ kind: 'binary', operator: '||', left, right }));
    const items = many(
      [set(0, { it: whole('item') }), { ...leafStep(1), needs: after(0), when }],
      whole('step:1.output'),
    );
    const notify = {
      on: ['ended' as const],
      command: ['sh', '-c', `{ cat; echo; } >> ${join(harness.folder, 'ended')}`],
    };
    const handle = await harness.start(each(leaf, {}, items), { input: { list: listOf(206) }, settings: { notify } });
    const status = (run: string): Promise<string> =>
      harness.client.workflow
        .getHandle(`${handle.workflowId}/${run}`)
        .describe()
        .then(
          (found) => found.status.name,
          () => 'none',
        );
    await expect.poll(() => status('each/200-205'), { interval: 200 }).toBe('COMPLETED');
    expect(await status('each/0-199')).toBe('RUNNING');
    // The run hears of the end of a batch a little later than the batch has ended.
    await expect.poll(async () => (await viewOf(harness, handle.workflowId)).status).toBe('waiting');
    const waiting = await viewOf(harness, handle.workflowId);
    expect(waiting.steps[1]?.rounds.map(({ index, status: its }) => `${index} ${its}`)).toEqual([
      '3 waiting',
      '100 success',
      '204 success',
    ]);
    const [open, ...others] = openGates(waiting);
    expect(others).toEqual([]);
    expect(open).toMatchObject({ address: `${handle.workflowId}/each/3/1/ok`, owner: `${handle.workflowId}/each/3/1` });
    await sendDecision(harness.client.workflow.getHandle(open?.owner ?? ''), {
      gate: 'each/3/1/ok',
      decision: 'approve',
      hash: open?.gate.hash ?? 'sha256:',
      by: 'ana',
    });
    const outcome = await handle.result();
    expect(await harness.json(outcome.output)).toEqual(
      listOf(206).map((text) => (started.includes(text) ? { said: text, word: 'hi' } : '')),
    );
    expect(outcome.spend.steps).toBe(2);
    expect((await harness.events(handle.workflowId)).length).toBeLessThan(100);
    const shown = (await viewOf(harness, handle.workflowId)).steps[1];
    const runs = shown?.rounds.flatMap(({ steps: [, last] }) => last?.nested?.run ?? []);
    expect(runs).toEqual(started.map((index) => `${handle.workflowId}/each/${index}/1`));
    // Nobody is told of the end of a batch.
    const told: string[] = [];
    for await (const { workflowId } of harness.client.workflow.list({ query: "WorkflowType = 'perdureNotice'" }))
      if (workflowId.startsWith(`${handle.workflowId}/`)) told.push(workflowId);
    expect(told).toEqual([]);
    await expect
      .poll(() => readFile(join(harness.folder, 'ended'), 'utf8').catch(() => ''))
      .toMatch(new RegExp(`^[^\n]*"command":"perdure show ${handle.workflowId}"[^\n]*\n$`));
  });

  it("shows gates of the items themselves as the batch's, and asks only those that the window holds", async () => {
    const gate: Step = {
      ...stepBase(0, { id: 'ok' }),
      kind: 'approval',
      message: literal('Go on?'),
      content: whole('item'),
      fallback: 'abort',
    };
    const leaf = body([said], { name: 'leaf' });
    const steps = [
      commandStep(0, ['echo', 'hi']),
      foreach(1, whole('input:list'), many([gate, { ...leafStep(1), needs: after(0) }]), {
        id: 'each',
        needs: needs(0),
        max_parallel: 3,
        on_error: 'stop',
      }),
    ];
    const handle = await harness.start(plan(steps, { inputs: INPUTS, nested: { 'sha256:leaf': leaf } }), {
      input: { list: listOf(201) },
    });
    await expect
      .poll(async () =>
        openGates(await viewOf(harness, handle.workflowId)).map(({ address, owner }) => `${address} of ${owner}`),
      )
      .toEqual([0, 1, 2].map((index) => `${handle.workflowId}/each/${index}/ok of ${handle.workflowId}/each/0-199`));
    const [first] = openGates(await viewOf(harness, handle.workflowId));
    const owner = harness.client.workflow.getHandle(first?.owner ?? '');
    await sendDecision(owner, {
      gate: 'each/0/ok',
      decision: 'reject',
      hash: first?.gate.hash ?? 'sha256:',
      by: 'ana',
    });
    expect(await outcomeOf(handle)).toMatchObject({
      status: 'error',
      error: expect.stringContaining('1 of 201 items failed') as string,
    });
  });

  it.each(FULL ? [5_000] : [])(
    'of %i items keeps every Temporal run small, and its window',
    async () => {
      const handle = await harness.start(each(body([said], { name: 'leaf' }), { max_parallel: 5 }), {
        input: { list: listOf(5_000) },
      });
      const outcome = await handle.result();
      expect(await harness.json(outcome.output)).toEqual(listOf(5_000).map((text) => ({ said: text, word: 'hi' })));
      const batches = listOf(25).map((index) => `${handle.workflowId}/each/${index * 200}-${index * 200 + 199}`);
      const runs = await Promise.all(
        batches.map(async (workflowId) => ({
          workflowId,
          firstExecutionRunId:
            (await harness.client.workflow.getHandle(workflowId).describe()).raw.workflowExecutionInfo?.firstRunId ??
            '',
        })),
      );
      for (const run of [handle, ...runs])
        for (const { events, bytes, children } of await linksOf(harness, run)) {
          expect(events).toBeLessThan(4_500);
          expect(bytes).toBeLessThan(4 * 1024 * 1024);
          expect(children).toBeLessThanOrEqual(5);
        }
    },
    900_000,
  );

  it('keeps what its items came to when it is cancelled', async () => {
    const handle = await harness.start(
      each(body([said, wait(1, 3_600_000, { needs: after(0) })], { name: 'leaf' }), { max_parallel: 2 }),
      { input: { list: listOf(201) } },
    );
    await expect.poll(async () => ((await viewOf(harness, handle.workflowId)).steps[1]?.rounds ?? []).length).toBe(2);
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    const [, shown] = (await viewOf(harness, handle.workflowId)).steps;
    expect(shown?.status).toBe('error');
    expect(shown?.rounds.map(({ status, error }) => `${status} ${String(error)}`)).toEqual(
      Array(2).fill('error cancelled: the run was cancelled'),
    );
  });
});
