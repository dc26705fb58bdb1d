import { describe, expect, it } from 'vitest';
import type { GateCall, RenderCall } from '../../../src/activities/contract.js';
import { canonicalJson } from '../../../src/plan/values/json.js';
import type { Plan } from '../../../src/plan/plan.js';
import type { ApprovalStep, WorkflowStep } from '../../../src/plan/step.js';
import { sha256 } from '../../../src/store/hash.js';
import { body, commandStep, plan, stepBase } from '../../plan/helpers/build-plan.js';
import type { Bench } from '../helpers/harness.js';
import { createBench, failureOf, literal, reference } from '../helpers/harness.js';

const NESTED = `sha256:${'c'.repeat(64)}` as const;

async function save(bench: Bench, made: Plan): Promise<{ run: string; first: string; plan: Plan['hash'] }> {
  await bench.activities.accessStore({ op: 'putPlan', plan: made });
  return { run: 'test-run', first: 'first', plan: made.hash };
}

function approval(content: ApprovalStep['content']): ApprovalStep {
  return {
    ...stepBase(0),
    kind: 'approval',
    message: {
      kind: 'text',
      parts: ['Save ', { expression: { kind: 'reference', root: 'input:file', path: [], source: 'file' } }, '?'],
    },
    content,
    fallback: 'abort',
  };
}

describe('what a gate shows', () => {
  it('is rendered with the whole content, and hashed as shown', async () => {
    const bench = await createBench();
    const report = 'Findings. '.repeat(100);
    const root = await save(bench, plan([approval(reference('step:0.output'))]));
    const call: GateCall = {
      root,
      nested: null,
      step: 0,
      path: 'gate',
      try: 1,
      since: '2026-01-01T00:00:00.000Z',
      submitter: 'ana',
      environment: { 'input:file': { value: 'report.md' }, 'step:0.output': await bench.store.putAlways(report) },
    };
    expect(await bench.activities.renderGate(call)).toEqual({
      path: 'gate',
      kind: 'approval',
      fallback: 'abort',
      since: '2026-01-01T00:00:00.000Z',
      message: 'Save report.md?',
      content: expect.objectContaining({ ref: sha256(canonicalJson(report)) }),
      hash: sha256(canonicalJson({ message: 'Save report.md?', content: report })),
    });
  });

  it('may be the question alone', async () => {
    const bench = await createBench();
    const root = await save(bench, plan([approval(null)]));
    expect(
      await bench.activities.renderGate({
        root,
        nested: null,
        step: 0,
        path: 'gate',
        try: 1,
        since: '2026-01-01T00:00:00.000Z',
        submitter: 'ana',
        environment: { 'input:file': { missing: true } },
      }),
    ).toMatchObject({ message: 'Save ?', content: null });
  });
});

describe('rendered values', () => {
  const step: WorkflowStep = {
    ...stepBase(0),
    kind: 'workflow',
    workflow: 'report',
    plan: NESTED,
    inputs: { whole: reference('step:0.output'), fixed: literal(3) },
  };

  it('are the inputs of a nested step, the output of a body, nested or not', async () => {
    const bench = await createBench();
    const made = plan([step], {
      output: reference('step:0.output'),
      nested: { [NESTED]: body([commandStep(0, ['true'])], { output: literal('nested') }) },
    });
    const root = await save(bench, made);
    const list = Array.from({ length: 400 }, (_, index) => index);
    const environment = { 'step:0.output': await bench.store.putAlways(list) };
    expect(await bench.activities.renderValues({ root, nested: null, what: 'inputs', step: 0, environment })).toEqual({
      whole: expect.objectContaining({ length: 400 }),
      fixed: { value: 3 },
    });
    expect(await bench.activities.renderValues({ root, nested: null, what: 'output', environment })).toEqual({
      output: expect.objectContaining({ length: 400 }),
    });
    expect(await bench.activities.renderValues({ root, nested: NESTED, what: 'output', environment: {} })).toEqual({
      output: { value: 'nested' },
    });
  });

  it.each<[string, Partial<RenderCall>, string]>([
    ['a plan that is not there', { root: { run: 'r', first: 'f', plan: NESTED } }, 'store-missing'],
    ['a nested workflow that is not there', { nested: NESTED }, 'internal'],
    [
      'a stored value that is not there',
      { environment: { 'step:0.output': { ref: NESTED, bytes: 1 } } },
      'store-missing',
    ],
  ])('of %s are a typed, final failure', async (_what, change, type) => {
    const bench = await createBench();
    const root = await save(bench, plan([step]));
    // the union's discriminant is not changed
    const call = { root, nested: null, what: 'inputs', step: 0, environment: {}, ...change } as RenderCall;
    await expect(failureOf(bench.activities.renderValues(call))).resolves.toMatchObject({ type, nonRetryable: true });
  });
});

it('a plan that came inline and is not what its hash says is refused', async () => {
  const bench = await createBench();
  const made = plan([commandStep(0, ['true'])]);
  await expect(
    failureOf(bench.activities.accessStore({ op: 'putPlan', plan: { ...made, name: 'forged' } })),
  ).resolves.toMatchObject({ type: 'store-missing', nonRetryable: true });
});
