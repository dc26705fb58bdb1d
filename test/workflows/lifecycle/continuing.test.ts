// @seconds 65
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Expression } from '../../../src/plan/values/expression.js';
import type { Decision } from '../../../src/plan/gates/gate.js';
import { DECIDE, MEMO, STEER } from '../../../src/plan/names.js';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { RoundResult, RunOutcome } from '../../../src/plan/result.js';
import type { Steer } from '../../../src/plan/budget/steering.js';
import type { LoopStep, PlanStep } from '../../../src/plan/step.js';
import { foreach, literal, loop, many, reference, set, single, whole } from '../../plan/helpers/build-blocks.js';
import { record } from '../../replay/record.js';
import { after, commandStep, plan, stepBase } from '../../plan/helpers/build-plan.js';
import { approval, ask, continueAsNew, createPeople } from '../helpers/gate-setting.js';
import type { RunHandle } from '../helpers/harness.js';
import { harnessOfFile } from '../helpers/harness.js';
import { linksOf } from '../helpers/links.js';
import { viewOf } from '../helpers/viewing.js';

const harness = await harnessOfFile();
const people = createPeople(harness);

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
/**
 * More steps at one moment than a run takes before it continues as new: what is tested happens while it writes their
 * results.
 */
const steps = (index: number, count = 900): LoopStep =>
  loop(
    index,
    { kind: 'binary', operator: '==', left: reference('index'), right: { kind: 'literal', value: count - 1 } },
    single(set(0, { n: whole('index') })),
    { max: count },
  );
const made: PlanStep = {
  ...stepBase(0, { id: 'made' }),
  kind: 'plan',
  source: { kind: 'literal', value: { steps: [{ command: ['echo', 'made'] }] } },
  inputs: {},
  kinds: ['command'],
  budgets: { ...NO_BUDGETS, max_steps: 10 },
  message: literal('Run it?'),
  fallback: 'abort',
};

const linkOf = (handle: RunHandle) => harness.client.workflow.getHandle(handle.workflowId, handle.firstExecutionRunId);
const steer = (handle: RunHandle, id: string, kind: 'pause' | 'resume'): Promise<void> =>
  handle.signal<[Steer]>(STEER, { kind, by: 'ana', id });
const pauseOf = async (handle: RunHandle): Promise<unknown> => (await handle.describe()).memo?.[MEMO.paused];

/** Resolves when a Temporal run has taken in what came, or is closed. */
async function tookIn(link: ReturnType<typeof linkOf>, what: () => Promise<unknown>): Promise<void> {
  const tasks = async (): Promise<number> =>
    ((await link.fetchHistory()).events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes).length;
  const before = await tasks();
  await what();
  // The task that was under way may end without it.
  await expect.poll(tasks).toBeGreaterThan(before + 1);
}

describe('a signal', () => {
  it('that comes before the run has started is heard like one that comes later', async () => {
    const handle = await harness.start(plan([commandStep(0, ['true'])]), { taskQueue: 'late' });
    await steer(handle, 'early', 'pause');
    onTestFinished(await harness.work('late'));
    await expect.poll(() => pauseOf(handle)).toMatchObject({ cause: 'request', by: 'ana' });
    expect((await harness.events(handle.workflowId)).filter(({ type }) => type === 'activityTaskScheduled')).toEqual(
      [],
    );
    await steer(handle, 'later', 'resume');
    expect(await handle.result()).toMatchObject({ status: 'success', spend: { steps: 1 } });
  });
});

describe('a run that is about to continue as new', () => {
  it('waits for a decision that is being looked at', async () => {
    const answer = await harness.store.putAlways('an answer');
    const page = holdPage();
    const read = hold('get', ([ref]) => ref === answer.ref);
    const handle = await harness.start(plan([ask(0, { id: 'ask', schema: { type: 'string' } }), steps(1)]), {
      taskTimeout: '5s',
    });
    await page.reached;
    const { path, hash } = await people.gate(handle.workflowId);
    await linkOf(handle).signal<[Decision]>(DECIDE, { gate: path, decision: 'answer', hash, by: 'ana', value: answer });
    await read.reached;
    page.release();
    // Until the run is seen to wait, or has gone on without it.
    await tookIn(linkOf(handle), () => Promise.resolve());
    read.release();
    expect(await handle.result()).toMatchObject({ status: 'success' });
  });

  it('is cancelled when that comes meanwhile', async () => {
    const page = holdPage();
    const handle = await harness.start(
      plan([
        approval(0, { id: 'ok' }),
        steps(1),
        commandStep(2, ['true'], { needs: after(0), always: true, id: 'tidy' }),
      ]),
      { taskTimeout: '5s' },
    );
    await page.reached;
    await tookIn(linkOf(handle), () => handle.cancel());
    page.release();
    await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    expect(await linksOf(harness, handle)).toHaveLength(1);
    const record = await harness.store.readRun(handle.workflowId);
    expect(record).toMatchObject({ status: 'cancelled' });
    const results = await harness.results(record as RunOutcome); // a record is the outcome, and more
    expect(results).toMatchObject({ ok: { status: 'error' }, tidy: { status: 'success' } });
    expect(Object.keys(results)).toHaveLength(3);
  });

  it('lets a made workflow begin in the next one that is approved meanwhile, and asks nobody again', async () => {
    const page = holdPage();
    const handle = await harness.start(plan([made, steps(1)]), { taskTimeout: '5s' });
    await page.reached;
    const { path, hash } = await people.gate(handle.workflowId);
    await tookIn(linkOf(handle), () =>
      handle.signal<[Decision]>(DECIDE, { gate: path, decision: 'approve', hash, by: 'ana' }),
    );
    page.release();
    const outcome = await handle.result();
    expect(outcome).toMatchObject({ status: 'success' });
    expect((await harness.results(outcome))['made']).toMatchObject({
      status: 'success',
      run: `${handle.workflowId}/made`,
    });
    expect(await linksOf(harness, handle)).toHaveLength(2);
  });

  it('loses no item that comes to its result while those of others are written', async () => {
    const long = 'x'.repeat(600);
    const words = numbers(510).map((index) => `${index} ${long}`);
    const item = many([set(0, { word: whole('item') })], {
      kind: 'list',
      items: [whole('step:0.output', 'word'), whole('index')],
    });
    const handle = await harness.start(
      plan([
        approval(0, { id: 'ok' }),
        foreach(1, { kind: 'literal', value: words }, item, { id: 'each', max_parallel: 7 }),
      ]),
    );
    await people.say(handle.workflowId, 'ana');
    const { each } = await harness.results(await handle.result());
    expect(((await harness.json(each?.output ?? null)) as unknown[][]).map((pair) => pair[1])).toEqual(numbers(510));
  });
});

describe('a run that has continued as new', () => {
  it('is still paused, and says so', async () => {
    const handle = await harness.start(
      plan([approval(0, { id: 'ok' }), commandStep(1, ['true'], { needs: after(0) })]),
    );
    await people.open(handle.workflowId);
    await steer(handle, 'one', 'pause');
    await expect.poll(() => pauseOf(handle)).toMatchObject({ cause: 'request' });
    await continueAsNew(harness, handle.workflowId);
    await people.say(handle.workflowId, 'ana');
    expect(await pauseOf(handle)).toMatchObject({ cause: 'request', by: 'ana' });
    expect((await harness.events(handle.workflowId)).filter(({ type }) => type === 'activityTaskScheduled')).toEqual(
      [],
    );
    await steer(handle, 'two', 'resume');
    expect(await handle.result()).toMatchObject({ status: 'success' });
  });

  it('keeps what a foreach had done when a limit stops it, and what that used', async () => {
    const each = foreach(
      0,
      { kind: 'literal', value: numbers(600) },
      single(commandStep(0, ['true'], { timeout_ms: 10_000 })),
      { id: 'each', max_parallel: 10 },
    );
    const handle = await harness.start(plan([each]), { lease: { steps: 10 } });
    const outcome = await handle
      .result()
      .catch((error: unknown) => (error as { cause: { details: [RunOutcome] } }).cause.details[0]);
    expect(outcome).toMatchObject({ status: 'error', spend: { steps: 10 } });
    const pages = (await harness.results(outcome))['each']?.pages ?? [];
    // as the interpreter wrote them
    const items = (await Promise.all(pages.map((page) => harness.json(page)))).flat() as unknown as RoundResult[];
    expect([items.length, items.filter(({ status }) => status === 'success').length]).toEqual([600, 10]);
    expect((await linksOf(harness, handle)).length).toBeGreaterThan(1);
    await record('stopped-items', await harness.client.workflow.getHandle(handle.workflowId).fetchHistory());
  });

  it('is shown with what it did before, to who looks now', async () => {
    const is = (index: number): Expression => ({
      kind: 'binary',
      operator: '==',
      left: reference('index'),
      right: { kind: 'literal', value: index },
    });
    const item = many(
      [
        commandStep(0, ['true'], { id: 'act', timeout_ms: 10_000 }),
        { ...approval(1, { id: 'ok', needs: after(0) }), when: is(3) },
        commandStep(2, ['true'], { id: 'again', needs: after(1), timeout_ms: 10_000 }),
      ],
      null,
    );
    const handle = await harness.start(
      plan([foreach(0, { kind: 'literal', value: numbers(300) }, item, { id: 'each', max_parallel: 10 })]),
    );
    await expect.poll(async () => (await linksOf(harness, handle)).length, { timeout: 120_000 }).toBeGreaterThan(1);
    await expect
      .poll(
        async () =>
          (await viewOf(harness, handle.workflowId)).steps[0]?.rounds.filter(({ status }) => status === 'success')
            .length,
        { timeout: 120_000 },
      )
      .toBe(299);
    const {
      spend,
      status,
      steps: [each],
    } = await viewOf(harness, handle.workflowId);
    expect([status, spend.steps]).toEqual(['waiting', 599]);
    expect(each?.rounds.map(({ index }) => index)).toEqual(numbers(300));
    expect(each?.rounds[3]).toMatchObject({
      status: 'waiting',
      steps: [{ status: 'success' }, { status: 'waiting' }, { status: 'pending' }],
    });
    expect(each?.rounds[0]?.steps.map(({ status: of }) => of)).toEqual(['success', 'skipped', 'success']);
    await people.say(handle.workflowId, 'ana');
    expect(await handle.result()).toMatchObject({ status: 'success', spend: { steps: 601 } });
  });

  it('knows the round before, however often it did so in one round', async () => {
    const round = many(
      [
        { ...steps(0, 1_100) },
        set(
          1,
          {
            before: {
              kind: 'expression',
              expression: {
                kind: 'coalesce',
                left: reference('last:2.output', 'word'),
                right: { kind: 'literal', value: 'none' },
              },
            },
          },
          { needs: after(0) },
        ),
        set(2, { word: literal('said'), before: whole('step:1.output', 'before') }, { needs: after(1) }),
      ],
      whole('step:2.output'),
    );
    const handle = await harness.start(
      plan([
        loop(
          0,
          { kind: 'binary', operator: '==', left: reference('index'), right: { kind: 'literal', value: 1 } },
          round,
          { id: 'rounds' },
        ),
      ]),
    );
    const outcome = await handle.result();
    expect(await harness.json(outcome.output)).toEqual({ word: 'said', before: 'said' });
    expect((await linksOf(harness, handle)).length).toBeGreaterThan(3);
  });
});

/** Holds what the run writes of its results. */
function holdPage(): Held {
  return hold('putAlways', ([value]) => Array.isArray(value) && typeof value[0] === 'object');
}

interface Held {
  reached: Promise<void>;
  release: () => void;
}

/**
 * Holds such calls that the store gets until they are released: one whose workflow task ran out of time comes again.
 */
function hold(method: 'putAlways' | 'get', is: (args: unknown[]) => boolean): Held {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const original = harness.store[method].bind(harness.store) as (...args: unknown[]) => Promise<unknown>;
  let spy = { mockRestore: (): void => undefined };
  const reached = new Promise<void>((resolve) => {
    spy = vi.spyOn(harness.store, method).mockImplementation((async (...args: unknown[]) => {
      if (is(args)) {
        resolve();
        await released;
      }
      return original(...args);
    }) as never); // both methods, whatever their arguments
  });
  const end = (): void => {
    spy.mockRestore();
    release();
  };
  onTestFinished(end);
  return { reached, release: end };
}
