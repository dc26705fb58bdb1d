import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFAULT_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { PreparedRun, StartCall, StartedRun } from '../../../src/plan/triggers/start.js';
import { STARTER } from '../../../src/plan/triggers/start.js';
import type { Json, JsonObject } from '../../../src/plan/values/json.js';
import { inline } from '../../../src/plan/values/value.js';
import { commandStep, plan } from '../../plan/helpers/build-plan.js';
import { wait } from '../../plan/helpers/build-blocks.js';
import { record } from '../../replay/record.js';
import type { Harness } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

async function call(made: Plan, event?: JsonObject): Promise<StartCall> {
  const { store, folder } = harness;
  await store.putPlan(made);
  const prepared: PreparedRun = {
    definition: made.name,
    plan: made.hash,
    inputs: {},
    settings: {
      models: {},
      rehearsal: false,
      submitted_by: 'tester',
      gates: 'fallback',
      search_attributes: false,
      budget: DEFAULT_BUDGETS,
      workspace: folder,
      caller: folder,
    },
    files: [],
    snapshot: false,
    memories: 0,
  };
  // What is prepared is JSON-safe.
  const { ref } = await store.putAlways(JSON.parse(JSON.stringify(prepared)) as Json);
  return { prepared: ref, ...(event === undefined ? {} : { event: inline(event) }) };
}
const start = (id: string, given: StartCall) =>
  harness.client.workflow.start<(given: StartCall) => Promise<StartedRun>>(STARTER, {
    taskQueue: 'test',
    workflowId: `start/test/${id}`,
    args: [given],
  });

it('starts the run of an event, and is open as long as it is', async () => {
  const event = { id: 'd-1', time: '2026-01-01T00:00:00.000Z' };
  const given = await call(plan([commandStep(0, ['echo', 'hello'])], { name: 'greets' }), event);
  const starter = await start('one', given);
  const { run, status } = await starter.result();
  expect({ run, status }).toEqual({ run: expect.stringMatching(/^greets-[a-z2-7]{8}$/) as string, status: 'success' });
  expect((await harness.store.readRun(run))?.status).toBe('success');
  await record('starter', await starter.fetchHistory());
  // The same starter again, such as one that Temporal has forgotten: the run is not done again.
  const again = await start('one', given);
  expect(await again.result()).toEqual({ run, status: 'joined' });
  await record('starter-joins', await again.fetchHistory());
});

it('ends well where its run fails, and says so', async () => {
  const starter = await start('two', await call(plan([commandStep(0, ['false'])], { name: 'fails' })));
  expect(await starter.result()).toMatchObject({ status: 'error' });
  await record('starter-of-failed', await starter.fetchHistory());
});

it('cancels its run where it is cancelled, and waits for the end', async () => {
  const made = plan([wait(0, 3_600_000)], { name: 'waits' });
  const starter = await start('three', await call(made));
  const run = await expect
    .poll(async () => (await starter.describe()).raw.pendingChildren?.[0]?.workflowId)
    .toMatch(/^waits-/)
    .then(async () => (await starter.describe()).raw.pendingChildren?.[0]?.workflowId ?? '');
  await expect
    .poll(() =>
      harness.events(run).then(
        (events) => events.map(({ type }) => type),
        () => [], // It has been asked for, and has not begun.
      ),
    )
    .toContain('timerStarted');
  await starter.cancel();
  await expect(starter.result()).rejects.toThrow();
  expect((await harness.store.readRun(run))?.status).toBe('cancelled');
  await record('starter-cancelled', await starter.fetchHistory());
});
