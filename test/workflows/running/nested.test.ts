// @seconds 15
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../../src/plan/result.js';
import type { Template } from '../../../src/plan/values/expression.js';
import type { CommandStep, WorkflowStep } from '../../../src/plan/step.js';
import { until } from '../../faults/project.js';
import { record } from '../../replay/record.js';
import { after, body, commandStep, needs, plan, stepBase } from '../../plan/helpers/build-plan.js';
import type { Harness } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(async () => {
  await harness.close();
});

const input = (name: string): Template => ({
  kind: 'expression',
  expression: { kind: 'reference', root: `input:${name}`, path: [], source: '' },
});
const output = (step: number): Template => ({
  kind: 'expression',
  expression: { kind: 'reference', root: `step:${step}.output`, path: [], source: '' },
});
const nested = (index: number, name: string, fields: Partial<WorkflowStep> = {}): WorkflowStep => ({
  ...stepBase(index),
  kind: 'workflow',
  workflow: name,
  plan: `sha256:${name}`,
  inputs: {},
  ...fields,
});
const cat = (index: number, stdin: Template, base: Partial<CommandStep> = {}): CommandStep => ({
  ...commandStep(index, ['cat'], base),
  stdin,
});

describe('a nested workflow', () => {
  it('runs as a child with its own scope, gets inputs and gives its output', async () => {
    const leaf = body(
      [
        cat(0, {
          kind: 'text',
          parts: ['<', { expression: { kind: 'reference', root: 'input:text', path: [], source: '' } }, '>'],
        }),
      ],
      { name: 'leaf' },
    );
    const handle = await harness.start(
      plan(
        [
          commandStep(0, ['echo', 'hi']),
          nested(1, 'leaf', { id: 'inner', needs: needs(0), inputs: { text: output(0) } }),
          cat(2, output(1), { needs: needs(1) }),
        ],
        { nested: { 'sha256:leaf': leaf } },
      ),
    );
    const outcome = await handle.result();
    expect(outcome).toMatchObject({ status: 'success', output: { value: '<hi>' }, spend: { steps: 3 } });
    const results = await harness.results(outcome);
    expect(results).toMatchObject({
      inner: { agent: 'leaf', run: `${handle.workflowId}/inner`, output: { value: '<hi>' } },
    });
    expect(await harness.results({ ...outcome, pages: results['inner']?.pages ?? [] })).toMatchObject({
      0: { status: 'success', agent: 'cat' },
    });
  });

  it('gets rendered and stored values as inputs', async () => {
    const leaf = body([{ ...commandStep(0, ['wc', '-c']), stdin: input('big') }, cat(1, input('text'))], {
      name: 'leaf',
      output: { kind: 'map', entries: { bytes: output(0), text: output(1) } },
    });
    const outcome = await (
      await harness.start(
        plan(
          [
            commandStep(0, ['seq', '1000']),
            nested(1, 'leaf', {
              needs: needs(0),
              inputs: {
                big: output(0),
                text: {
                  kind: 'text',
                  parts: [
                    'first ',
                    {
                      expression: {
                        kind: 'binary',
                        operator: '==',
                        left: { kind: 'literal', value: 1 },
                        right: { kind: 'literal', value: 1 },
                      },
                    },
                  ],
                },
              },
            }),
          ],
          { nested: { 'sha256:leaf': leaf } },
        ),
      )
    ).result();
    expect(await harness.json(outcome.output)).toEqual({ bytes: '3892', text: 'first true' });
  });

  it('that fails, fails its step with its own error, and its results stay readable', async () => {
    const leaf = body([commandStep(0, ['false'], { id: 'boom' })], { name: 'leaf' });
    const handle = await harness.start(
      plan([nested(0, 'leaf', { id: 'inner', on_error: 'continue' }), commandStep(1, ['echo'])], {
        nested: { 'sha256:leaf': leaf },
      }),
    );
    const outcome = await handle.result();
    expect(outcome.status).toBe('partial');
    const results = await harness.results(outcome);
    expect(results['inner']).toMatchObject({
      status: 'error',
      failure: 'nested-failed',
      error: expect.stringContaining('boom: ') as string,
    });
    expect(await harness.results({ ...outcome, pages: results['inner']?.pages ?? [] })).toMatchObject({
      boom: { status: 'error' },
    });
  });

  it('is cancelled with its parent, three levels down, and leaves no process', async () => {
    const pid = join(harness.folder, 'nested-pid');
    const leaf = body([commandStep(0, ['sh', '-c', `echo $$ > ${pid}; sleep 600`])], { name: 'leaf' });
    const middle = body([nested(0, 'leaf')], { name: 'middle' });
    const handle = await harness.start(
      plan([nested(0, 'middle')], { nested: { 'sha256:leaf': leaf, 'sha256:middle': middle } }),
    );
    let running = '';
    while (running === '')
      running = await readFile(pid, 'utf8').then(
        (text) => text.trim(),
        () => '',
      );
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    const statuses = await Promise.all(
      [`${handle.workflowId}/0`, `${handle.workflowId}/0/0`].map(
        async (run) => (await harness.client.workflow.getHandle(run).describe()).status.name,
      ),
    );
    expect(statuses).toEqual(['CANCELLED', 'CANCELLED']);
    const record = await harness.store.readRun(`${handle.workflowId}/0/0`);
    expect(await harness.results(record as RunOutcome)).toMatchObject({ 0: { status: 'error', failure: 'cancelled' } });
  });

  it.each([
    ['cancelled', (run: WorkflowHandle) => run.cancel()],
    ['terminated', (run: WorkflowHandle) => run.terminate('by hand')],
  ])('that others have %s fails its step without another try, and `on_error` says what follows', async (how, end) => {
    const leaf = body([commandStep(0, ['sleep', '600'])], { name: 'leaf' });
    const ended = async (on_error: WorkflowStep['on_error'], then: CommandStep): Promise<RunOutcome> => {
      const handle = await harness.start(
        plan([nested(0, 'leaf', { id: 'inner', on_error, retry: { attempts: 2, backoff_ms: 10 } }), then], {
          nested: { 'sha256:leaf': leaf },
        }),
        { id: `nested-${how}${on_error === 'continue' ? '' : '-stops'}` },
      );
      const inner = harness.client.workflow.getHandle(`${handle.workflowId}/inner`);
      await until(() =>
        inner.describe().then(
          ({ raw }) => (raw.pendingActivities ?? []).length > 0,
          () => false,
        ),
      );
      await end(inner);
      const outcome = await handle
        .result()
        .catch(async () => (await harness.store.readRun(handle.workflowId)) as RunOutcome);
      if (on_error === 'continue') await record(`nested-${how}`, await handle.fetchHistory());
      return outcome;
    };
    const [stopped, went] = await Promise.all([
      ended('stop', commandStep(1, ['true'], { needs: needs(0) })),
      ended('continue', commandStep(1, ['true'], { needs: after(0) })),
    ]);
    expect(stopped).toMatchObject({ status: 'error', error: expect.stringContaining(`inner: ${how}`) as string });
    expect(await harness.results(stopped)).toMatchObject({
      inner: { status: 'error', error: expect.stringContaining(`${how}: `) as string },
      1: { status: 'skipped' },
    });
    expect(went.status).toBe('partial');
    expect(await harness.results(went)).toMatchObject({
      inner: { status: 'error', failure: 'nested-ended', attempts: 1 },
      1: { status: 'success' },
    });
  });

  it('is tried again after its time limit, and ends in a timeout when its tries are over', async () => {
    const leaf = body([commandStep(0, ['sleep', '600'])], { name: 'leaf' });
    const handle = await harness.start(
      plan(
        [
          nested(0, 'leaf', { timeout_ms: 500, retry: { attempts: 2, backoff_ms: 10 }, on_error: 'continue' }),
          commandStep(1, ['true']),
        ],
        { nested: { 'sha256:leaf': leaf } },
      ),
    );
    expect(await harness.results(await handle.result())).toMatchObject({
      0: { status: 'timeout', failure: 'timeout', attempts: 2 },
    });
  });

  it.each([
    ['integer', '[1.5]', '1.5', 'Expected the input `n` to be a whole number, got `1.5` (workflow `leaf`).'],
    ['list', '[{}]', '{}', 'Expected the input `n` to be a list, got `{}` (workflow `leaf`).'],
    ['integer', '[2]', '2', null],
    ['list', '[[1]]', '[1]', null],
    ['string', '[3]', '3', null],
  ] as const)('takes for an input of type %s no other value: %s', async (type, printed, _value, error) => {
    const leaf = body([cat(0, input('n'))], {
      name: 'leaf',
      inputs: { n: { type, required: true, description: null } },
    });
    const first: Template = {
      kind: 'expression',
      expression: { kind: 'reference', root: 'step:0.output', path: [0], source: '' },
    };
    const handle = await harness.start(
      plan(
        [
          { ...commandStep(0, ['echo', printed]), schema: { type: 'array' } },
          nested(1, 'leaf', { id: 'inner', needs: needs(0), inputs: { n: first }, on_error: 'continue' }),
        ],
        { nested: { 'sha256:leaf': leaf } },
      ),
    );
    const results = await harness.results(await handle.result());
    expect(results['inner']).toMatchObject(
      error === null
        ? { status: 'success' }
        : { status: 'error', failure: 'value-invalid', error, spend: { steps: 0 } },
    );
  });

  it('ten at once are windowed and all end', async () => {
    const leaf = body([commandStep(0, ['true'])], { name: 'leaf' });
    const steps = Array.from({ length: 10 }, (_, index) => nested(index, 'leaf'));
    const outcome = await (await harness.start(plan(steps, { nested: { 'sha256:leaf': leaf } }))).result();
    expect(outcome).toMatchObject({ status: 'success', spend: { steps: 10 } });
  });
});
