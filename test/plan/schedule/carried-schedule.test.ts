import { describe, expect, it } from 'vitest';
import {
  carrySchedule,
  lendSchedule,
  restoreSchedule,
  rootsAfterRound,
} from '../../../src/plan/schedule/carried-schedule.js';
import { createSchedule, endStep, resultOf, startStep } from '../../../src/plan/schedule/schedule.js';
import type { Schedule, StepEnd } from '../../../src/plan/schedule/schedule-state.js';
import type { Block, Step } from '../../../src/plan/step.js';
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
    expect([restored.open, restored.succeeded]).toEqual([1, 1]);
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
