import { expect, it } from 'vitest';
import { viewOfRecord } from '../../../src/cli/observe/closed.js';
import { viewAt } from '../../../src/cli/observe/find-run.js';
import type { Session } from '../../../src/cli/session.js';
import { waitForRun } from '../../../src/mcp/wait-for-run.js';
import type { RunView } from '../../../src/cli/observe/view/view.js';
import { NO_SPEND } from '../../../src/plan/budget/spend.js';
import { endedByOthers, nestedEnd } from '../../../src/plan/outcomes/step-ends.js';
import type { RunEnd, RunRecord } from '../../../src/plan/result.js';
import type { Json } from '../../../src/plan/values/json.js';
import { createSchedule, endStep, resultOf } from '../../../src/plan/schedule/schedule.js';
import type { StepEnd } from '../../../src/plan/schedule/schedule-state.js';
import { openStore } from '../../../src/store/local-store.js';
import type { Store } from '../../../src/store/store.js';
import { body, commandStep, plan, stepBase } from '../../plan/helpers/build-plan.js';
import { temporaryFolder } from '../../store/helpers/harness.js';
import { runRecord } from '../../store/helpers/run-record.js';

const below = body([commandStep(0, ['true'], { id: 'work' })], { name: 'below' });
const made = plan(
  [{ ...stepBase(0, { id: 'nested' }), kind: 'workflow', workflow: 'below', plan: 'sha256:below', inputs: {} }],
  { nested: { 'sha256:below': below } },
);

/** A closed run whose one step nested a run that ended so. */
async function closedWith(end: StepEnd): Promise<{ view: RunView; record: RunRecord; store: Store }> {
  const store = await openStore(await temporaryFolder());
  await store.putPlan(made);
  const schedule = createSchedule(made);
  endStep(schedule, 0, end);
  const page = await store.put([{ ...resultOf(schedule, 0, {}) }] as unknown as Json);
  const record = runRecord('r', { plan: made.hash, status: 'partial', pages: [page] });
  await store.writeRun(record);
  return { view: await viewOfRecord(record, store), record, store };
}

const ended = (status: RunEnd): StepEnd =>
  nestedEnd('r/nested', {
    status,
    error: status === 'success' ? null : 'work: failed',
    output: null,
    spend: NO_SPEND,
    pages: [],
  });

/** What a client is told that waits for it. */
const waitedFor = (run: string, store: Store): Promise<RunView> =>
  waitForRun({
    ...{ run, waitMs: 1_000, signal: new AbortController().signal, progress: () => undefined },
    session: { store } as Session, // all that is looked at where a run has a record
  });

it.each<[RunEnd, string | null]>([
  ['success', null],
  ['partial', 'work: failed'],
  ['error', 'work: failed'],
  ['timeout', 'work: failed'],
])('a nested run of a closed one that ended as %s is told as that', async (status, error) => {
  const { view, store } = await closedWith(ended(status));
  expect(viewAt(view, 'r/nested')).toMatchObject({ run: 'r/nested', status, error });
  expect(await waitedFor('r/nested', store)).toMatchObject({ run: 'r/nested', status, error });
});

it.each(['cancelled', 'terminated'] as const)('one that others have %s was no failure of its own', async (how) => {
  const { view } = await closedWith(endedByOthers('r/nested', how));
  expect(viewAt(view, 'r/nested')).toMatchObject({ status: 'cancelled' });
});

it('one that others have cancelled is shown with what it had come to', async () => {
  const { store, record } = await closedWith(endedByOthers('r/nested', 'cancelled'));
  const schedule = createSchedule(below);
  endStep(schedule, 0, { status: 'success', output: null });
  const pages = [await store.put([{ ...resultOf(schedule, 0, {}) }] as unknown as Json)];
  await store.writeRun(runRecord('r/nested', { plan: 'sha256:below', status: 'cancelled', pages }));
  const [step] = viewAt(await viewOfRecord(record, store), 'r/nested').steps;
  expect(step?.status).toBe('success');
});
