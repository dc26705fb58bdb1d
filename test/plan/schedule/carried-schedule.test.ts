import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  carrySchedule,
  lendSchedule,
  restoreSchedule,
  rootsAfterRound,
} from '../../../src/plan/schedule/carried-schedule.js';
import { courseOf } from '../../../src/plan/outcomes/course.js';
import { createSchedule, endOf, endStep, lettersOf, resultOf, startStep } from '../../../src/plan/schedule/schedule.js';
import type { Schedule, StepEnd } from '../../../src/plan/schedule/schedule-state.js';
import type { Block, Step } from '../../../src/plan/step.js';
import type { Root } from '../../../src/plan/values/expression.js';
import { inline } from '../../../src/plan/values/value.js';
import { loop, many, reference, textOf, whole } from '../helpers/build-blocks.js';
import { after, body, commandStep, needs, stepBase } from '../helpers/build-plan.js';

const ok = (output: string): StepEnd => ({ status: 'success', output: inline(output) });
const reads = (index: number, root: string, ...before: number[]): Step => ({
  ...commandStep(index, ['x'], { needs: after(...before) }),
  stdin: whole(root),
});
function ended(block: Block, ends: (StepEnd | null)[]): Schedule {
  const schedule = createSchedule(block);
  ends.forEach((end, index) => {
    if (end === null) return;
    startStep(schedule, index);
    endStep(schedule, index, end);
  });
  return schedule;
}
const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T; // what JSON carries of it
const last = commandStep(3, ['last']);
const FAILURE = { type: 'command-failed' as const, message: 'exit 1' };

describe('what travels when a run continues as new', () => {
  it('is the results that steps to come refer to, also by a group, and the last step that is the output', () => {
    const steps = [commandStep(0, ['a']), commandStep(1, ['b']), commandStep(2, ['c']), reads(3, 'step:1.output', 2)];
    const carried = (block: Block): string[] =>
      Object.keys(carrySchedule(ended(block, [ok('a'), ok('b'), ok('c'), null])).steps);
    expect(carried(body(steps))).toEqual(['1']);
    const grouped = [...steps.slice(0, 3), reads(3, 'group:g.outputs', 2)];
    expect(carried(body(grouped, { groups: { g: [0, 2] } }))).toEqual(['0', '2']);
    expect(carried(body([...steps.slice(0, 3), last]))).toEqual([]);
    expect(carried(body([...steps.slice(0, 3), last], { output: textOf({ root: 'step:2.output' }) }))).toEqual(['2']);
    const all = ended(body([...steps.slice(0, 3), last]), [ok('a'), ok('b'), ok('c'), ok('d')]);
    expect(Object.keys(carrySchedule(all).steps)).toEqual(['3']);
    expect(Object.keys(carrySchedule(all, ['step:0.output', 'input:x', '^step:1']).steps)).toEqual(['0', '3']);
  });

  it('is all that people see of a result that is referred to', () => {
    const end: StepEnd = {
      ...ok('a'),
      duration_ms: 7,
      partial: 'half',
      decided_by: ['ana'],
      comment: 'fine',
    } as StepEnd;
    const block = body([commandStep(0, ['a']), reads(1, 'step:0.output', 0)]);
    const before = ended(block, [end, null]);
    const restored = restoreSchedule(block, json({ ...carrySchedule(before), pages: [] }));
    expect(resultOf(restored, 0, {})).toMatchObject({
      status: 'success',
      output: inline('a'),
      duration_ms: 7,
      partial: 'half',
      decided_by: ['ana'],
      comment: 'fine',
    });
    expect([...restored.ready]).toEqual([1]);
    expect([restored.open, lettersOf(restored)]).toEqual([1, 'lp']);
  });

  it('is why a step was skipped that is referred to, also for the items of a batch', () => {
    const block = body([commandStep(0, ['a']), reads(1, 'step:0.error', 0)]);
    const schedule = ended(block, [{ status: 'skipped', reason: '`when` is false' }, null]);
    for (const carried of [carrySchedule(schedule), lendSchedule(schedule, ['step:0.error'])])
      expect(resultOf(restoreSchedule(block, json(carried)), 0, {})?.error).toBe('`when` is false');
  });

  it('comes to the same as it would have without the link, also where something of it was left undone', () => {
    const how = fc.constantFrom<StepEnd>(
      ok('a'),
      { status: 'success', output: inline('b'), partial: 'half' },
      { status: 'success', output: inline('c'), note: '1 of 2 items, 1 skipped', cut: true },
      { status: 'success', output: inline('d'), note: '2 of 3 items, 1 skipped', partial: 'half', cut: true },
      { status: 'skipped', reason: 'skipped: all 2 steps are used', cut: true },
      { status: 'skipped', reason: 'skipped by its condition' },
      { status: 'error', failure: FAILURE },
    );
    fc.assert(
      fc.property(fc.array(how, { minLength: 1, maxLength: 5 }), fc.nat(5), (ends, link) => {
        const block = body(ends.map((_, index) => commandStep(index, ['a'], { on_error: 'continue' })));
        const whole = ended(block, ends);
        const before = ended(block, ends.slice(0, link));
        const carried = json({ ...carrySchedule(before), pages: [] });
        // A link behind a link knows no less.
        const restored = restoreSchedule(block, carrySchedule(restoreSchedule(block, carried)));
        ends.slice(link).forEach((end, at) => endStep(restored, link + at, end));
        expect(courseOf(restored, false)).toEqual(courseOf(whole, false));
      }),
    );
  });

  it('is what was sent back, and what a gate may still send back', () => {
    const gate: Step = {
      ...stepBase(1, { needs: needs(0) }),
      kind: 'approval',
      message: { kind: 'literal', value: 'Go?' },
      content: null,
      fallback: 'abort',
      rework: { step: 0, max: 2 },
    };
    const block = body([reads(0, 'step:2.output', 2), gate, commandStep(2, ['source']), last]);
    const schedule = ended(block, [null, null, ok('source'), null]);
    startStep(schedule, 0);
    endStep(schedule, 0, ok('work'));
    expect(carrySchedule(schedule)).not.toHaveProperty('reworks');
    // The gate may send the first step back, which then reads again.
    expect(Object.keys(carrySchedule(schedule).steps)).toEqual(['2']);
    startStep(schedule, 1);
    const failure = { type: 'rejected' as const, message: 'no' };
    endStep(schedule, 1, { status: 'error', failure, feedback: 'no', decided_by: ['ana'] });
    const carried = json({ ...carrySchedule(schedule), pages: [] });
    expect(carried.reworks).toEqual([{ gate: 1, feedback: 'no', by: ['ana'] }]);
    expect(restoreSchedule(block, carried).reworks).toEqual(carried.reworks);
    for (const index of [0, 1]) {
      startStep(schedule, index);
      endStep(schedule, index, ok('at last'));
    }
    expect(Object.keys(carrySchedule(schedule).steps)).toEqual([]);
  });

  it('is where a failure has stopped it, and what it has cost', () => {
    const block = body([commandStep(0, ['a']), commandStep(1, ['b'], { needs: after(0) })]);
    const spend = { usd: 1, tokens: 2, steps: 1 };
    const failed: StepEnd = { status: 'error', failure: { type: 'command-failed', message: 'exit 1' }, spend };
    const schedule = ended(block, [failed, null]);
    const restored = restoreSchedule(block, json({ ...carrySchedule(schedule), pages: [] }));
    expect(restored).toMatchObject({ stopped: 0, spend, failures: { count: 1 }, open: schedule.open });
    expect([...restored.ready]).toEqual([...schedule.ready]);
    expect(restored.steps.map(({ status }) => status)).toEqual(schedule.steps.map(({ status }) => status));
  });

  it('is what goes on where it was, with what is doomed until that has ended', () => {
    const block = body([
      commandStep(0, ['a'], { on_error: 'skip_dependents' }),
      commandStep(1, ['b']),
      commandStep(2, ['c'], { needs: [...needs(0), ...after(1)] }),
      reads(3, 'step:1.output', 2),
      commandStep(4, ['e']), // the last step: its output is the run's
    ]);
    const before = ended(block, [{ status: 'error', failure: FAILURE }, null, null, null, ok('unused')]);
    startStep(before, 1);
    const carried = carrySchedule(before);
    expect([carried.statuses, carried.doomed]).toEqual(['erpps', [[2, 0]]]);
    const restored = restoreSchedule(block, carried);
    expect([...restored.ready]).toEqual([1]);
    expect([restored.open, endOf(restored)]).toEqual([before.open, endOf(before)]);
    startStep(restored, 1);
    endStep(restored, 1, ok('wanted'));
    expect(restored.steps[2]?.status).toBe('skipped');
    expect([...restored.ready]).toEqual([3]);
    expect(Object.keys(carrySchedule(restored).steps)).toEqual(['1', '4']);
    expect(carrySchedule(restored).doomed).toEqual([]);
    expect(restored.failures.count).toBe(1);
  });

  it('is not what steps referred to that have ended, nor the last step where the output is another', () => {
    const block = body(
      [commandStep(0, ['a']), reads(1, 'step:0.output', 0), commandStep(2, ['c'], { needs: after(1) })],
      {
        output: textOf({ root: 'step:1.output' }),
      },
    );
    expect(Object.keys(carrySchedule(ended(block, [ok('a'), ok('b'), null])).steps)).toEqual(['1']);
    expect(Object.keys(carrySchedule(ended(block, [ok('a'), ok('b'), ok('c')])).steps)).toEqual(['1']);
  });

  it('finds steps and groups by their whole names', () => {
    const steps = Array.from({ length: 13 }, (_, index) => commandStep(index, [String(index)]));
    const schedule = ended(
      body(steps, { groups: { 'a.b': [3, 11], b: [4] } }),
      steps.map(() => ok('x')),
    );
    const lent = (root: Root): string[] => Object.keys(lendSchedule(schedule, [root]).steps);
    expect([lent('step:12.output'), lent('group:a.b.outputs'), lent('^step:3'), lent('^group:b.outputs')]).toEqual([
      ['12'],
      ['3', '11'],
      [],
      [],
    ]);
  });

  it('makes nothing ready that waits for more than what has ended, or has ended itself', () => {
    const block = body([
      commandStep(0, ['a']),
      commandStep(1, ['b']),
      commandStep(2, ['c'], { needs: after(0, 1) }),
      commandStep(3, ['d'], { needs: after(0) }),
    ]);
    const restored = restoreSchedule(
      block,
      json({ ...carrySchedule(ended(block, [ok('a'), null, null, ok('d')])), pages: [] }),
    );
    expect([...restored.ready]).toEqual([1]);
    expect(restored.blockers).toEqual([0, 0, 1, 0]);
  });

  it('is nothing at the start', () => {
    const block = body([commandStep(0, ['a'])]);
    expect(restoreSchedule(block, null)).toEqual(createSchedule(block));
  });
});

describe('what a batch of items is lent', () => {
  it('is what its items refer to, and neither failures nor costs of others', () => {
    const spend = { usd: 1, tokens: 2, steps: 1 };
    const block = body(
      [commandStep(0, ['a'], { on_error: 'continue' }), commandStep(1, ['b']), commandStep(2, ['c'])],
      { groups: { g: [1] } },
    );
    const failed: StepEnd = { status: 'error', failure: { type: 'command-failed', message: 'exit 1' }, spend };
    const lent = lendSchedule(ended(block, [failed, ok('b'), null]), ['step:0.error', 'step:2.output', '^step:1']);
    expect(lent).toMatchObject({
      doomed: [],
      stopped: null,
      failures: { count: 0 },
      spend: { usd: 0, tokens: 0, steps: 0 },
    });
    expect(Object.keys(lent.steps)).toEqual(['0']);
    expect(lent).not.toHaveProperty('reworks');
    expect(Object.keys(lendSchedule(ended(block, [failed, ok('b'), null]), ['group:g.outputs']).steps)).toEqual(['1']);
    const schedule = ended(block, [null, null, null]);
    schedule.reworks.push({ gate: 0, feedback: null, by: ['ana'] });
    expect(lendSchedule(schedule, []).reworks).toHaveLength(1);
  });
});

it('asks of a round that has ended what its condition and the next round refer to', () => {
  const steps = [
    reads(0, 'last:1.output'),
    reads(1, 'last:0.error'),
    reads(2, '^last:3.output'),
    reads(3, 'step:0.output'),
  ];
  expect(rootsAfterRound(loop(0, reference('step:2.output'), many(steps)))).toEqual([
    'step:2.output',
    'step:1.output',
    'step:0.error',
  ]);
});
