// @seconds 25
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Expression, Template } from '../../src/plan/values/expression.js';
import type { RunOutcome } from '../../src/plan/result.js';
import type { CommandStep, Step } from '../../src/plan/step.js';
import { after, commandStep, needs, plan } from '../plan/helpers/build-plan.js';
import type { Harness, RunHandle } from './helpers/harness.js';
import { openHarness } from './helpers/harness.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(async () => {
  await harness.close();
});

const output = (step: number, ...path: string[]): Expression => ({
  kind: 'reference',
  root: `step:${step}.output`,
  path,
  source: '',
});
const whole = (step: number): Template => ({ kind: 'expression', expression: output(step) });

/** The outcome of a run that failed, from the failure that Temporal shows. */
async function failed(handle: RunHandle): Promise<RunOutcome> {
  const error: unknown = await handle.result().then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof WorkflowFailedError) || !(error.cause instanceof ApplicationFailure))
    throw new Error('The run did not fail', { cause: error });
  return error.cause.details?.[0] as RunOutcome; // the interpreter's contract
}

describe('a run', () => {
  it('runs steps in order, hands values on and yields its last output', async () => {
    const second: CommandStep = {
      ...commandStep(1, ['cat'], { needs: needs(0) }),
      stdin: { kind: 'text', parts: ['got ', { expression: output(0) }] },
    };
    const outcome = await (
      await harness.start(plan([commandStep(0, ['echo', 'one'], { id: 'first' }), second]))
    ).result();
    expect(outcome).toMatchObject({
      status: 'success',
      error: null,
      output: { value: 'got one' },
      spend: { usd: 0, tokens: 0, steps: 2 },
    });
    expect(await harness.results(outcome)).toMatchObject({
      first: { status: 'success', output: { value: 'one' }, agent: 'echo', attempts: 1 },
      1: { output: { value: 'got one' } },
    });
  });

  it('keeps a record of itself in the store, for when history is gone', async () => {
    const handle = await harness.start(plan([commandStep(0, ['echo', 'kept'])]), { input: { who: 'ana' } });
    const outcome = await handle.result();
    expect(await harness.store.readRun(handle.workflowId)).toMatchObject({
      run: handle.workflowId,
      ...outcome,
      input: { who: { value: 'ana' } },
      submitted_by: 'tester',
    });
  });

  it('takes a sequential command step in six events or fewer', async () => {
    const steps = Array.from({ length: 10 }, (_, index) =>
      commandStep(index, ['true'], { needs: index === 0 ? [] : needs(index - 1) }),
    );
    const handle = await harness.start(plan(steps));
    await handle.result();
    const events = await harness.events(handle.workflowId);
    expect(events.length).toBeLessThanOrEqual(6 * 10 + 8);
  });

  it('takes one event for a quick step, and ends it like any other', async () => {
    const quick = { timeout_ms: 10_000 };
    const handle = await harness.start(
      plan([
        commandStep(0, ['echo', 'one'], quick),
        { ...commandStep(1, ['cat'], { ...quick, needs: needs(0) }), stdin: whole(0) },
        commandStep(2, ['false'], { ...quick, needs: needs(1), on_error: 'continue' }),
      ]),
    );
    const outcome = await handle.result();
    expect(await harness.results(outcome)).toMatchObject({
      1: { output: { value: 'one' }, spend: { steps: 1 } },
      2: { status: 'error', failure: 'command-failed', spend: { usd: 0, tokens: 0, steps: 1 } },
    });
    expect(
      (await harness.events(handle.workflowId)).filter(({ type }) => type.startsWith('activityTask')),
    ).toHaveLength(0);
  });

  it('runs independent steps side by side, never more than max_parallel', async () => {
    const log = join(harness.folder, 'window');
    // None ends before three have begun.
    const wait = `until [ "$(grep -c start ${log})" -ge 3 ]; do sleep 0.05; done`;
    const script = `echo start >> ${log}; ${wait}; echo end >> ${log}`;
    const steps = Array.from({ length: 7 }, (_, index) => commandStep(index, ['sh', '-c', script]));
    await (
      await harness.start(plan(steps), {
        settings: {
          budget: { max_steps: null, max_parallel: 3, max_runtime_mins: null, max_cost_usd: null, max_tokens: null },
        },
      })
    ).result();
    const lines = (await readFile(log, 'utf8')).trim().split('\n');
    let running = 0;
    const levels = lines.map((line) => (running += line === 'start' ? 1 : -1));
    expect(lines).toHaveLength(14);
    expect(Math.max(...levels)).toBe(3);
  });

  it('stops at a failure: what runs is cancelled, the rest skipped, and Temporal shows the run as failed', async () => {
    const handle = await harness.start(
      plan([
        commandStep(0, ['sh', '-c', 'echo broken >&2; exit 3'], { id: 'bad' }),
        commandStep(1, ['sleep', '600'], { id: 'long' }),
        commandStep(2, ['echo'], { id: 'never', needs: after(1) }),
      ]),
    );
    const outcome = await failed(handle);
    expect(outcome.status).toBe('error');
    expect(outcome.error).toContain('bad: ');
    expect(outcome.error).toContain('broken');
    expect(await harness.results(outcome)).toMatchObject({
      bad: { status: 'error', failure: 'command-failed', spend: { steps: 1 } },
      long: { status: 'error', error: 'cancelled: `bad` failed and stops the run' },
      never: { status: 'skipped', spend: { steps: 0 } },
    });
    expect((await handle.describe()).status.name).toBe('FAILED');
  });

  it('goes on after a failure that says continue, and a later step reads an empty output', async () => {
    const reader: CommandStep = {
      ...commandStep(1, ['cat'], { needs: needs(0) }),
      stdin: { kind: 'text', parts: ['[', { expression: output(0) }, ']'] },
    };
    const outcome = await (
      await harness.start(plan([commandStep(0, ['false'], { on_error: 'continue' }), reader]))
    ).result();
    expect(outcome).toMatchObject({ status: 'partial', output: { value: '[]' } });
  });

  it('tries a step again as often as it says, and tells how many tries it took', async () => {
    const counter = join(harness.folder, 'tries');
    const script = `echo x >> ${counter}; [ $(wc -l < ${counter}) -ge 3 ]`;
    const outcome = await (
      await harness.start(plan([commandStep(0, ['sh', '-c', script], { retry: { attempts: 5, backoff_ms: 10 } })]))
    ).result();
    expect(await harness.results(outcome)).toMatchObject({
      0: { status: 'success', attempts: 3, spend: { steps: 1 } },
    });
  });

  it('ends a step at its time limit with status timeout', async () => {
    const outcome = await failed(await harness.start(plan([commandStep(0, ['sleep', '600'], { timeout_ms: 300 })])));
    expect(await harness.results(outcome)).toMatchObject({ 0: { status: 'timeout', failure: 'timeout' } });
  });

  it('ends a step at its deadline, with all its tries', async () => {
    const outcome = await failed(
      await harness.start(
        plan([commandStep(0, ['false'], { retry: { attempts: 1000, backoff_ms: 100 }, deadline_ms: 1000 })]),
      ),
    );
    expect(await harness.results(outcome)).toMatchObject({
      0: { status: 'timeout', error: 'The step did not end within its deadline of 1 s.' },
    });
  });

  it('skips a step whose condition is false, also when an operand is stored', async () => {
    const when = (needle: string): Expression => ({
      kind: 'call',
      name: 'contains',
      operands: [output(0), { kind: 'literal', value: needle }],
    });
    const outcome = await (
      await harness.start(
        plan([
          commandStep(0, ['seq', '1000']),
          commandStep(1, ['echo', 'no'], { needs: after(0), when: when('nope') }),
          commandStep(2, ['echo', 'yes'], { needs: after(1), when: when('777') }),
          // What is stored is no empty text and no empty list.
          commandStep(3, ['echo', 'yes'], { needs: after(2), when: output(0) }),
        ]),
      )
    ).result();
    expect(await harness.results(outcome)).toMatchObject({
      1: { status: 'skipped', error: '`when` is false' },
      2: { status: 'success' },
      3: { status: 'success' },
    });
  });

  it('carries outputs of 3 and 6 MB by reference: history stays small and later steps use them', async () => {
    const big = (index: number, bytes: number): CommandStep => ({
      ...commandStep(index, ['head', '-c', String(bytes), '/dev/zero'], { needs: index === 0 ? [] : needs(index - 1) }),
      max_output_kb: 10_000,
    });
    const count = (index: number, of: number): CommandStep => ({
      ...commandStep(index, ['wc', '-c'], { needs: needs(of, index - 1) }),
      stdin: whole(of),
    });
    const handle = await harness.start(plan([big(0, 3_000_000), big(1, 6_000_000), count(2, 0), count(3, 1)]));
    const outcome = await handle.result();
    expect(await harness.results(outcome)).toMatchObject({
      2: { output: { value: '3000000' } },
      3: { output: { value: '6000000' } },
    });
    const events = await harness.events(handle.workflowId);
    expect(events.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(64 * 1024);
  });
});

describe('cancelling', () => {
  it('ends what runs and skips the rest; the run is cancelled and its record says so', async () => {
    const marker = join(harness.folder, 'begun');
    const handle = await harness.start(
      plan([
        commandStep(0, ['sh', '-c', `echo x > ${marker}; sleep 600 & sleep 600`]),
        commandStep(1, ['echo'], { needs: needs(0) }),
      ]),
    );
    await waitForFile(marker);
    await handle.cancel();
    const error: unknown = await handle.result().catch((reason: unknown) => reason);
    expect(error instanceof WorkflowFailedError && error.cause instanceof CancelledFailure).toBe(true);
    const record = await harness.store.readRun(handle.workflowId);
    expect(record?.status).toBe('cancelled');
    expect(await harness.results(record as RunOutcome)).toMatchObject({
      0: { status: 'error', error: 'cancelled: the run was cancelled' },
      1: { status: 'skipped' },
    });
  });
});

describe('a long run', () => {
  it('continues as new after as many steps as its input says and keeps every result', async () => {
    const steps: Step[] = Array.from({ length: 620 }, (_, index) =>
      commandStep(index, ['true'], { needs: index < 10 ? [] : after(index - 10) }),
    );
    const handle = await harness.start(plan(steps), { linkSteps: 300 });
    const outcome = await handle.result();
    expect(outcome.status).toBe('success');
    expect(outcome.pages.length).toBeGreaterThan(1);
    expect(Object.keys(await harness.results(outcome))).toHaveLength(620);
    expect((await handle.describe()).runId).not.toBe(handle.firstExecutionRunId);
  });
});

/** Waits for a file by watching the thing itself: the command that writes it. */
async function waitForFile(path: string): Promise<void> {
  for (;;) {
    const there = await readFile(path, 'utf8').catch(() => '');
    if (there !== '') return;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
