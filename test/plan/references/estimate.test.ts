import { describe, expect, it } from 'vitest';
import { NONE } from '../../../src/plan/budget/amounts.js';
import { needOf, needOfPlan, requestBytes } from '../../../src/plan/references/estimate.js';
import type { Environment } from '../../../src/plan/references/environment.js';
import type { AgentStep, Step } from '../../../src/plan/step.js';
import type { StoredValue } from '../../../src/plan/values/value.js';
import { inline } from '../../../src/plan/values/value.js';
import { everything } from '../../cli/helpers/every-kind.js';
import { agentStep } from '../../workflows/helpers/conversing.js';
import { foreach, loop, many, reference, set, whole } from '../helpers/build-blocks.js';
import { body, commandStep, needs, stepBase } from '../helpers/build-plan.js';

const ACTS = { ...NONE, steps: 1, slots: 1 };
const ASKS = { ...NONE, steps: 1 };

it('counts a step where it acts or asks, and a slot while it acts', () => {
  const kinds: Record<string, object> = { approval: ASKS, ask: ASKS };
  for (const kind of ['workflow', 'plan', 'foreach', 'loop', 'set', 'wait']) kinds[kind] = NONE;
  for (const step of everything().steps) expect(needOf(step), step.kind).toEqual(kinds[step.kind] ?? ACTS);
  for (const kind of ['workflow', 'plan', 'foreach', 'loop', 'set', 'wait', 'approval', 'ask', 'agent', 'command'])
    expect(needOf({ kind } as Step)).toEqual(kinds[kind] ?? ACTS); // it looks at the kind alone
});

describe('what a nested run will need', () => {
  const model = (step: Step): typeof NONE => ({ ...NONE, nanousd: 100 * (step.index + 1), tokens: 7 });
  const command = (index: number, ...before: number[]): Step =>
    commandStep(index, ['true'], { needs: needs(...before) });

  it('is a slot for each step that may run at once', () => {
    expect(needOfPlan(body([]), {}, model)).toEqual(NONE);
    expect(needOfPlan(body([command(0), command(1, 0), command(2, 1)]), {}, model)).toEqual({
      ...NONE,
      steps: 3,
      slots: 1,
    });
    expect(needOfPlan(body([command(0), command(1), command(2, 0, 1)]), {}, model)).toMatchObject({
      steps: 3,
      slots: 2,
    });
    expect(
      needOfPlan(body([command(0), command(1, 0), command(2, 0), command(3, 1), command(4, 0)]), {}, model),
    ).toMatchObject({ steps: 5, slots: 3 });
  });

  it('is that of bodies and of workflows in it, as wide as they are', () => {
    const inner = many([command(0), command(1), set(2, {})]);
    const until = reference('input:a');
    const nested = body([command(0), command(1), command(2)]);
    const steps: Step[] = [
      foreach(0, whole('input:a'), inner),
      loop(1, until, inner, { needs: needs(0) }),
      { ...stepBase(2, { needs: needs(1) }), kind: 'workflow', workflow: 'w', plan: 'sha256:n', inputs: {} },
      { ...stepBase(3, { needs: needs(2) }), kind: 'workflow', workflow: 'x', plan: 'sha256:gone', inputs: {} },
    ];
    expect(needOfPlan(body(steps), { 'sha256:n': nested }, model)).toMatchObject({ steps: 7, slots: 3 });
  });

  it('is for models as much as its dearest call, once more than may run at once', () => {
    const steps = [agentStep(0), agentStep(1), command(2)];
    expect(needOfPlan(body(steps), {}, model)).toEqual({ steps: 3, slots: 3, nanousd: 200 * 4, tokens: 28 });
    const inside = foreach(0, whole('input:a'), many([command(0), agentStep(1), agentStep(2)]));
    expect(needOfPlan(body([inside]), {}, model)).toMatchObject({ nanousd: 300 * 4, tokens: 28 });
    const nested = { 'sha256:n': body([agentStep(0)]) };
    const call: Step = { ...stepBase(0), kind: 'workflow', workflow: 'w', plan: 'sha256:n', inputs: {} };
    expect(needOfPlan(body([call]), nested, model)).toMatchObject({ nanousd: 200, tokens: 14 });
    expect(needOfPlan(body([command(0)]), {}, model)).toMatchObject({ nanousd: 0, tokens: 0 });
  });
});

describe('the bytes of a request', () => {
  const empty = agentStep(0, { prompt: null });
  const base = requestBytes(empty, null, {});
  const more = (step: Partial<AgentStep>, prompt: unknown = null, environment: Environment = {}): number =>
    requestBytes({ ...empty, ...step }, prompt, environment) - base;
  const stored = (bytes: number): StoredValue => ({ ref: 'sha256:x', bytes });
  const view = { status: 'success', error: null, duration_ms: 1, agent: 'a', step_index: 0, id: null, output: null };

  it('are at least those of what stands around', () => {
    expect(base).toBe(1_024 + 2 * 'null'.length);
  });

  it.each<[string, number, number]>([
    ['the instruction of its agent', more({}, { kind: 'literal', value: 'ä'.repeat(50) }), 100 + 'literal'.length],
    ['what it is told', more({ prompt: { kind: 'text', parts: ['x'.repeat(30)] } }), 30 + 'text'.length],
    ['a stored text', more({ prompt: { kind: 'text', parts: [{ text: 'sha256:x', bytes: 5_000 }] } }), 5_004],
    ['its inputs', more({ inputs: { long: { kind: 'literal', value: 'y'.repeat(40) } } }), 40 + 'literal'.length],
    ['its schema, twice', more({ schema: { type: 'string' } }), 2 * (17 - 4)],
    [
      'files that it is shown',
      more({ attachments: [{ name: 'a.pdf', media: 'application/pdf', data: '', tokens: 500 }] }),
      1_500,
    ],
    ['nothing of what was not given', more({}, null, { 'input:a': { missing: true } }), 0],
    ['a value with indent', more({}, null, { 'input:a': inline('x'.repeat(98)) }), 150],
    ['a stored value with indent', more({}, null, { 'input:a': stored(1_001) }), 1_502],
    ['an item of a long list', more({}, null, { item: { item: stored(100_000), at: 3 } }), 6_144],
    ['an item of a short list', more({}, null, { item: { item: stored(100), at: 3 } }), 150],
    ['a result', more({}, null, { 'step:0': { result: view } }), 768],
    ['a result with its output', more({}, null, { 'step:0': { result: { ...view, output: stored(88) } } }), 900],
    ['results of a group', more({}, null, { 'group:g': { results: [view, { ...view, output: stored(76) }] } }), 1_650],
  ])('have %s', (_, found, expected) => {
    expect(found).toBe(expected);
  });
});
