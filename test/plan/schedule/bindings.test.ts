import { describe, expect, it } from 'vitest';
import type { BindingSource } from '../../../src/plan/schedule/bindings.js';
import { bind, groupResultOf, isInline } from '../../../src/plan/schedule/bindings.js';
import { createSchedule, endStep, startStep } from '../../../src/plan/schedule/schedule.js';
import type { StepEnd } from '../../../src/plan/schedule/schedule-state.js';
import type { StoredValue, Value } from '../../../src/plan/values/value.js';
import { inline } from '../../../src/plan/values/value.js';
import { body, commandStep } from '../helpers/build-plan.js';

const stored: StoredValue = { ref: 'sha256:aa', bytes: 900, preview: 'head', length: 3 };
const missing = { missing: true };
const ok = (output: Value | null): StepEnd => ({ status: 'success', output });
const failed: StepEnd = { status: 'error', failure: { type: 'command-failed', message: 'exit 1' } };

function sourceOf(ends: (StepEnd | null)[], more: Partial<BindingSource> = {}, groups = {}): BindingSource {
  const steps = ends.map((_, index) => commandStep(index, ['x'], { id: `s${index}`, on_error: 'continue' }));
  const schedule = createSchedule(body(steps, { groups }));
  ends.forEach((end, index) => {
    startStep(schedule, index);
    if (end !== null) endStep(schedule, index, end);
  });
  const nothing = { outer: null, item: null, index: null, last: null };
  return { schedule, agents: {}, input: {}, unattended: false, ...nothing, ...more };
}
const one = (root: string, source: BindingSource): unknown => bind([root], source)[root];

describe('a reference', () => {
  it('is of a step its result, its output without its head, or a field of it', () => {
    const source = sourceOf([ok(stored), failed, null]);
    expect(one('step:0', source)).toMatchObject({ result: { status: 'success', output: { ref: 'sha256:aa' } } });
    expect(one('step:0.output', source)).toEqual({ ref: 'sha256:aa', bytes: 900, length: 3 });
    expect(one('step:1.error', source)).toEqual(inline('exit 1'));
    expect(one('step:1.id', source)).toEqual(inline('s1'));
    expect(one('step:0.error', source)).toEqual(inline(null));
    for (const root of ['step:1.output', 'step:2', 'step:2.output', 'step:0.comment', 'step:0.toString'])
      expect(one(root, source), root).toEqual(missing);
  });

  it('is of an input its value, and nothing where it was not given', () => {
    const source = sourceOf([], { input: { a: stored, b: inline(0) } });
    expect(one('input:a', source)).toEqual({ ref: 'sha256:aa', bytes: 900, length: 3 });
    expect(one('input:b', source)).toEqual(inline(0));
    for (const root of ['input:c', 'input:toString', 'input:', 'input'])
      expect(one(root, source), root).toEqual(missing);
  });

  it('is of a round its number, its item, and the round before', () => {
    const last = sourceOf([ok(inline('before'))]).schedule;
    const source = sourceOf([ok(inline('now'))], { index: 0, item: { item: stored, at: 2 }, last });
    expect(one('index', source)).toEqual(inline(0));
    expect(one('item', source)).toEqual({ item: stored, at: 2 });
    expect(one('last:0.output', source)).toEqual(inline('before'));
    expect(one('last:0', source)).toMatchObject({ result: { output: inline('before') } });
    expect(one('step:0.output', source)).toEqual(inline('now'));
    for (const root of ['index', 'item', 'last:0.output']) expect(one(root, sourceOf([])), root).toEqual(missing);
  });

  it('goes one scope outwards with each mark, and no further than there are scopes', () => {
    const run = sourceOf([ok(inline('run'))], { input: { a: inline(1) } });
    const list = sourceOf([ok(inline('list'))], { outer: run, index: 4 });
    const source = sourceOf([ok(inline('own'))], { outer: list });
    expect(one('^step:0.output', source)).toEqual(inline('list'));
    expect(one('^index', source)).toEqual(inline(4));
    expect(one('^^step:0.output', source)).toEqual(inline('run'));
    expect(one('^^^step:0.output', source)).toEqual(missing);
  });

  it('says whether the run asks nobody', () => {
    expect(one('run:unattended', sourceOf([], { unattended: true }))).toEqual(inline(true));
    expect(one('run:unattended', sourceOf([]))).toEqual(inline(false));
  });

  it('is of the last rejection what was said, in this scope or one around it', () => {
    const run = sourceOf([]);
    run.schedule.reworks.push(
      { gate: 0, feedback: 'first', by: ['ana'] },
      { gate: 0, feedback: null, by: ['bo', 'cy'] },
    );
    const inside = sourceOf([], { outer: run });
    for (const source of [run, inside]) {
      expect(one('rework:feedback', source)).toEqual(inline(''));
      expect(one('rework:by', source)).toEqual(inline(['bo', 'cy']));
      expect(one('rework:round', source)).toEqual(inline(2));
      expect(one('rework:other', source)).toEqual(inline(null));
    }
    inside.schedule.reworks.push({ gate: 0, feedback: 'mine', by: ['di'] });
    expect(one('rework:feedback', inside)).toEqual(inline('mine'));
    expect(one('rework:round', inside)).toEqual(inline(1));
    expect(one('rework:feedback', sourceOf([], { outer: sourceOf([]) }))).toEqual(missing);
  });
});

describe('a group', () => {
  const part: StepEnd = { status: 'success', output: inline(1), partial: 'child failed' };
  const late: StepEnd = { status: 'timeout', failure: { type: 'timeout', message: 'late' } };
  const skipped: StepEnd = { status: 'skipped', reason: 'no' };
  it.each<[string, (StepEnd | null)[], string, number, number]>([
    ['all succeeded', [ok(null), ok(null)], 'success', 2, 0],
    ['none has ended', [null, null], 'success', 0, 0],
    ['one succeeded in part', [ok(null), part], 'partial', 2, 0],
    ['one failed', [ok(null), failed], 'partial', 1, 1],
    ['one was too late', [ok(null), late], 'partial', 1, 1],
    ['one was skipped', [ok(null), skipped], 'partial', 1, 0],
    ['all failed', [failed, late], 'error', 0, 2],
    ['all were skipped', [skipped, skipped], 'error', 0, 0],
  ])('of which %s is %3$s', (...[, ends, status, succeeded, failures]) => {
    const group = groupResultOf('g', sourceOf([...ends, ok(null)], {}, { g: [0, 1] }));
    expect([group.status, group.succeeded.length, group.failed.length]).toEqual([status, succeeded, failures]);
  });

  it('has its results by field, and nothing else', () => {
    const source = sourceOf([ok(inline(1)), failed, ok(inline(3))], {}, { g: [0, 1] });
    const numbers = (field: string): unknown => {
      const bound = one(`group:g.${field}`, source) as { results: { step_index: number }[] }; // so for these fields
      return bound.results.map(({ step_index }) => step_index);
    };
    expect([numbers('outputs'), numbers('succeeded'), numbers('failed')]).toEqual([[0, 1], [0], [1]]);
    expect(one('group:g.status', source)).toEqual(inline('partial'));
    expect(one('group:g.length', source)).toEqual(missing);
    expect(one('group:g', source)).toEqual(missing);
    expect(groupResultOf('none', source)).toMatchObject({ status: 'success', outputs: [] });
  });
});

describe('what may be evaluated in the workflow', () => {
  const view = { status: 'success', error: null, duration_ms: 1, agent: 'a', step_index: 0, id: null };
  it.each<[string, Parameters<typeof isInline>[0][string], boolean]>([
    ['nothing', { missing: true }, true],
    ['a small value', inline(1), true],
    ['a stored value', stored, false],
    ['an item of a stored list', { item: stored, at: 0 }, false],
    ['a result without an output', { result: { ...view, output: null } }, true],
    ['a result with a small output', { result: { ...view, output: inline(1) } }, true],
    ['a result with a stored output', { result: { ...view, output: stored } }, false],
    ['results', { results: [{ ...view, output: null }] }, true],
    [
      'results of which one is stored',
      {
        results: [
          { ...view, output: null },
          { ...view, output: stored },
        ],
      },
      false,
    ],
  ])('is %s: %3$s', (_, binding, is) => {
    expect(isInline({ root: binding })).toBe(is);
    expect(isInline({ first: binding, second: inline(1) })).toBe(is);
  });
});
