import { describe, expect, it } from 'vitest';
import { rowFrom } from '../../../src/plan/schedule/row.js';
import type { Schedule } from '../../../src/plan/schedule/schedule-state.js';
import { createSchedule, endStep, startStep } from '../../../src/plan/schedule/schedule.js';
import type { Step, ToolStep } from '../../../src/plan/step.js';
import type { BuiltinTool } from '../../../src/plan/tools/tool.js';
import type { Root } from '../../../src/plan/values/expression.js';
import { inline } from '../../../src/plan/values/value.js';
import { reference, whole } from '../helpers/build-blocks.js';
import { after, body, commandStep, NO_PERMISSIONS, stepBase } from '../helpers/build-plan.js';

function look(index: number, more: Partial<ToolStep> = {}, name: BuiltinTool = 'read_file'): ToolStep {
  return {
    ...stepBase(index, { needs: index === 0 ? [] : after(index - 1) }),
    kind: 'tool',
    tool: { kind: 'builtin', name },
    permissions: NO_PERMISSIONS,
    inputs: {},
    schema: null,
    ...more,
  };
}

/** The indexes of the row that begins with a step, of a schedule in which those before it have ended well. */
function rowOf(steps: Step[], at = 0, change: (schedule: Schedule) => void = () => undefined): number[] {
  const schedule = createSchedule(body(steps));
  for (let index = 0; index < at; index++) {
    startStep(schedule, index);
    endStep(schedule, index, { status: 'success', output: inline('done') });
  }
  startStep(schedule, at);
  change(schedule);
  const first = steps[at];
  if (first?.kind !== 'tool') throw new Error('no step of a tool');
  return rowFrom(schedule, first, () => true).map(({ index }) => index);
}

describe('a row of steps that look', () => {
  it('goes on as long as each waits for the one before it', () => {
    expect(rowOf([look(0), look(1, {}, 'list_files'), look(2, {}, 'memory_search')])).toEqual([0, 1, 2]);
    expect(rowOf([commandStep(0, ['a']), look(1), look(2)], 1)).toEqual([1, 2]);
    expect(rowOf(Array.from({ length: 40 }, (_, index) => look(index)))).toHaveLength(25);
  });

  it.each<[why: string, last: Step]>([
    ['changes files', look(2, {}, 'write_file')],
    ['is no tool', commandStep(2, ['a'], { needs: after(1) })],
    ['has a condition', look(2, { when: reference('input:go') })],
    ['has a deadline', look(2, { deadline_ms: 1_000 })],
    ['runs also after a failure', look(2, { always: true })],
    ['is told what one of the row gives', look(2, { inputs: { path: whole('step:1.output') } })],
    ['is told how one of the row ended', look(2, { inputs: { path: whole('step:0') } })],
    ['is told what a group gives', look(2, { inputs: { path: whole('group:some.outputs') } })],
    ['waits for another that has not ended', look(2, { needs: after(1, 3) })],
  ])('ends before a step that %s', (_, last) => {
    expect(rowOf([look(0), look(1), last, commandStep(3, ['b'])])).toEqual([0, 1]);
  });

  it('goes on with one that is told what had ended before the row', () => {
    const told = look(2, { needs: after(0, 1), inputs: { path: whole('step:0.output') } });
    expect(rowOf([commandStep(0, ['a']), look(1), told], 1)).toEqual([1, 2]);
  });

  it('has no steps that would run beside each other, and none that will be skipped', () => {
    expect(rowOf([look(0), look(1), look(2, { needs: after(0) })])).toEqual([0]);
    expect(rowOf([look(0), look(1)], 0, ({ doomed }) => doomed.set(1, 0))).toEqual([0]);
  });

  it('goes on with the one that still waits, where others have been skipped', () => {
    const steps = [look(0), look(1), look(2, { needs: after(0) })];
    expect(rowOf(steps, 0, (schedule) => (schedule.steps[1]!.status = 'skipped'))).toEqual([0, 2]); // there are three
  });

  it('knows steps by their whole numbers', () => {
    const row = Array.from({ length: 13 }, (_, index) => look(index));
    const told = (root: Root): number[] => rowOf([...row, look(13, { inputs: { path: whole(root) } })], 11);
    expect(told('step:1.output')).toEqual([11, 12, 13]);
    expect(told('step:12.output')).toEqual([11, 12]);
  });

  it('leaves out what whoever asks says', () => {
    const [first, ...others] = [look(0), look(1), look(2), look(3)];
    if (first === undefined) throw new Error('no step');
    const row = rowFrom(createSchedule(body([first, ...others])), first, ({ index }) => index !== 2);
    expect(row.map(({ index }) => index)).toEqual([0, 1]);
  });

  it('of a step that changes something is that step alone', () => {
    expect(rowOf([look(0, {}, 'edit_file'), look(1)])).toEqual([0]);
    const defined = { kind: 'defined', name: 'read_file' } as unknown as ToolStep['tool']; // no more is looked at
    expect(rowOf([look(0, { tool: defined }), look(1)])).toEqual([0]);
  });
});
