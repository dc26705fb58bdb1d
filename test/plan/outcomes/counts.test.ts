import { describe, expect, it } from 'vitest';
import type { Course } from '../../../src/plan/outcomes/course.js';
import {
  addCounts,
  copyCounts,
  countItem,
  countRound,
  courseOf,
  endOfItems,
  endOfRounds,
  failedBelow,
  failedWorkflows,
  linesOf,
  noCounts,
} from '../../../src/plan/outcomes/course.js';
import type { Failure } from '../../../src/plan/failure.js';
import { createSchedule, endStep, startStep } from '../../../src/plan/schedule/schedule.js';
import type { Schedule, StepEnd } from '../../../src/plan/schedule/schedule-state.js';
import type { Step } from '../../../src/plan/step.js';
import { inline } from '../../../src/plan/values/value.js';
import { loop, many, single } from '../helpers/build-blocks.js';
import { commandStep, needs } from '../helpers/build-plan.js';

const done: StepEnd = { status: 'success', output: inline('x') };
const fail = (type: Failure['type'], message: string): StepEnd => ({ status: 'error', failure: { type, message } });
const CUT = 'skipped: max_steps: all 2 steps are used';
const cut: StepEnd = { status: 'skipped', reason: CUT, cut: true };
const late: StepEnd = { status: 'timeout', failure: { type: 'timeout', message: 'late' } };
const step = (index: number, on_error: Step['on_error'], ...before: number[]): Step =>
  commandStep(index, ['x'], { on_error, needs: needs(...before) });
function ended(steps: Step[], ...ends: StepEnd[]): Schedule {
  const schedule = createSchedule(many(steps));
  ends.forEach((end, index) => {
    startStep(schedule, index);
    endStep(schedule, index, end);
  });
  return schedule;
}
const went = (more: Partial<Course>): Course => ({
  status: 'success',
  failure: null,
  error: null,
  asked: false,
  ...more,
});
const broke = (type: Failure['type'] = 'command-failed'): Course =>
  went({ status: 'error', failure: { type, message: 'exit 1' }, error: 'exit 1' });

describe('how a body of several steps went', () => {
  it('is a success where all did, and a failure where one stopped it', () => {
    expect(courseOf(ended([step(0, 'stop'), step(1, 'stop')], done, done), false)).toEqual({
      status: 'success',
      failure: null,
      error: null,
      asked: true,
    });
    const stopped = courseOf(ended([step(0, 'stop'), step(1, 'stop', 0)], fail('command-failed', 'exit 1')), false);
    expect(stopped).toMatchObject({ status: 'error', failure: { type: 'nested-failed' }, asked: false });
    expect(stopped.error).toBe(stopped.failure?.message);
    expect(stopped.error).toContain('exit 1');
  });

  it('is a failure where it was cancelled, whatever else succeeded', () => {
    expect(
      courseOf(ended([step(0, 'continue'), step(1, 'stop')], fail('cancelled', 'cancelled'), done), false),
    ).toMatchObject({ status: 'error' });
  });

  it.each<[string, Step['on_error'], StepEnd, boolean]>([
    ['a failure that goes on', 'continue', fail('command-failed', 'exit 1'), true],
    ['a failure that skips nobody', 'skip_dependents', fail('command-failed', 'exit 1'), true],
    ['what was too late and skips nobody', 'skip_dependents', late, true],
    ['a success in part', 'skip_dependents', { ...done, partial: 'half' }, false],
    ['a success in part that goes on', 'continue', { ...done, partial: 'half' }, true],
  ])('passes over %s where that is asked for: %4$s', (_, policy, end, asked) => {
    const course = courseOf(ended([step(0, policy), step(1, 'stop')], end, done), false);
    expect(course).toMatchObject({ status: 'success', failure: null, asked });
    expect(course.partial).toMatch(/exit 1|late|half/);
  });

  it('does not pass over a failure that has skipped others', () => {
    const steps = [step(0, 'skip_dependents'), step(1, 'stop', 0), step(2, 'stop')];
    const schedule = createSchedule(many(steps));
    endStep(schedule, 0, fail('command-failed', 'exit 1'));
    endStep(schedule, 2, done);
    expect(courseOf(schedule, false)).toMatchObject({ status: 'success', asked: false });
  });

  it.each<[string, boolean, StepEnd[], Partial<Course>]>([
    ['before its last step', false, [done, cut], { status: 'skipped', error: CUT, cut: true }],
    ['before all of its steps', false, [cut, cut], { status: 'skipped', error: CUT, cut: true }],
    ['before its only step', true, [cut], { status: 'skipped', error: CUT, cut: true }],
    [
      'inside a step that succeeded',
      true,
      [{ ...done, note: '1 of 2 items, 1 skipped', cut: true }],
      { status: 'skipped', error: '1 of 2 items, 1 skipped', cut: true },
    ],
    ['after a failure', false, [fail('command-failed', 'exit 1'), cut], { status: 'error' }],
  ])('that the run was stopped in, %s, is no success', (_, isSingle, ends, course) => {
    const steps = ends.map((_end, index) => step(index, 'stop'));
    expect(courseOf(ended(steps, ...ends), isSingle)).toMatchObject(course);
  });

  it('is skipped where none of its steps ran, and says why', () => {
    const skipped: StepEnd = { status: 'skipped', reason: '`when` is false' };
    expect(courseOf(ended([step(0, 'stop'), step(1, 'stop')], skipped, skipped), false)).toEqual({
      status: 'skipped',
      failure: null,
      error: '`when` is false',
      asked: false,
    });
    expect(courseOf(ended([step(0, 'stop'), step(1, 'stop')], done, skipped), false)).toMatchObject({
      status: 'success',
    });
  });

  it('is that of its one step as it is', () => {
    const schedule = createSchedule(single(step(0, 'stop')));
    endStep(schedule, 0, late);
    expect(courseOf(schedule, true)).toEqual({
      status: 'timeout',
      failure: { type: 'timeout', message: 'late' },
      error: 'late',
      asked: false,
    });
  });
});

describe('items and rounds', () => {
  it('count what failed by their numbers, and what was cancelled only as done', () => {
    const counts = noCounts();
    countItem(counts, 0, went({}));
    countItem(counts, 1, broke());
    countItem(counts, 2, broke('cancelled'));
    countItem(counts, 3, went({ partial: 'half' }));
    countItem(counts, 4, went({ status: 'skipped' }));
    countItem(counts, 5, went({ status: 'skipped', cut: true }));
    expect(counts).toEqual({
      done: 6,
      succeeded: 2,
      failures: { count: 1, first: ['1: exit 1'] },
      partial: { count: 1, first: ['3: half'] },
      passed: 0,
      cut: 1,
    });
    addCounts(counts, copyCounts(counts));
    expect(counts).toMatchObject({ done: 12, cut: 2 });
  });

  it.each([0, 1])('say of a foreach whether the run was stopped in it: %i items', (cuts) => {
    const end = endOfItems({ on_error: 'stop' }, { ...noCounts(), done: 3, succeeded: 2, cut: cuts }, 3);
    expect(end).toEqual({ status: 'success', note: '2 of 3 items, 1 skipped', ...(cuts === 0 ? {} : { cut: true }) });
  });

  it.each<[string, Step['on_error'], Course, boolean, number, number]>([
    ['a round that failed, where a later one makes up for it', 'continue', broke(), false, 1, 0],
    ['a round that was cancelled', 'continue', broke('cancelled'), false, 0, 0],
    ['a round that succeeded', 'continue', went({}), false, 0, 0],
    ['a round that ended in part and was asked to go on', 'stop', went({ partial: 'half', asked: true }), false, 1, 0],
    ['a round that ended in part', 'stop', went({ partial: 'half' }), false, 0, 1],
    ['the last round, which nobody makes up for', 'continue', went({ partial: 'half' }), true, 0, 1],
  ])('are passed over: %s', (...[, on_error, course, isLast, passed, partial]) => {
    const counts = noCounts();
    const body = loop(0, { kind: 'literal', value: true }, single(step(0, 'stop')), { on_error });
    countRound(counts, body, 2, { ...course, isLast });
    expect([counts.passed, counts.partial.count, counts.done]).toEqual([passed, partial, 1]);
  });

  it('add up, with how many there are beyond those that are told', () => {
    const counts = noCounts();
    countItem(counts, 0, broke());
    const others = { ...noCounts(), done: 30, succeeded: 4, passed: 2 };
    others.failures = { count: 26, first: ['5: a', '6: b'] };
    others.partial = { count: 3, first: ['7: c'] };
    addCounts(counts, others);
    expect([counts.done, counts.succeeded, counts.passed]).toEqual([31, 4, 2]);
    expect([counts.failures.count, counts.partial.count]).toEqual([27, 3]);
    expect(counts.failures.first).toEqual(['0: exit 1', '5: a', '6: b']);
    const copy = copyCounts(counts);
    expect(copy).toEqual(counts);
    countItem(copy, 9, broke());
    countItem(copy, 9, went({ partial: 'x' }));
    expect([counts.done, counts.failures.count, counts.failures.first.length]).toEqual([31, 27, 3]);
    expect([counts.partial.count, counts.partial.first.length]).toEqual([3, 1]);
  });

  const told = (succeeded: number, failed: number, partial = 0) => ({
    ...noCounts(),
    done: succeeded + failed,
    succeeded,
    failures: { count: failed, first: failed > 0 ? ['0: exit 1'] : [] },
    partial: { count: partial, first: partial > 0 ? ['1: half'] : [] },
  });
  it.each<[string, Step['on_error'], ReturnType<typeof told>, number, object]>([
    ['all', 'stop', told(3, 0), 3, { status: 'success', note: '3 of 3 items' }],
    [
      'some, which go on',
      'continue',
      told(2, 1),
      3,
      { status: 'success', note: '2 of 3 items', partial: '1 of 3 items failed:\n0: exit 1' },
    ],
    [
      'some, and some in part',
      'continue',
      told(2, 2, 1),
      5,
      { status: 'error', failure: { type: 'nested-failed', message: '1 of 5 items were not done.' } },
    ],
    [
      'some, some in part, all told',
      'continue',
      told(2, 1, 1),
      3,
      {
        status: 'success',
        note: '2 of 3 items, 1 in part',
        partial: '1 of 3 items failed:\n0: exit 1\n1 of 3 items ended in part:\n1: half',
      },
    ],
    [
      'none, though they go on',
      'continue',
      told(0, 2),
      2,
      { status: 'error', failure: { type: 'nested-failed', message: '2 of 2 items failed:\n0: exit 1\n… and 1 more' } },
    ],
    [
      'some, which do not go on',
      'skip_dependents',
      told(2, 1),
      3,
      { status: 'error', failure: { type: 'nested-failed', message: '1 of 3 items failed:\n0: exit 1' } },
    ],
  ])('of which succeeded %s make this of the list', (...[, on_error, counts, count, end]) => {
    expect(endOfItems({ on_error }, counts, count)).toEqual(end);
  });

  it('say of a loop what failed in it', () => {
    expect(endOfRounds(noCounts(), '2 rounds')).toEqual({ note: '2 rounds' });
    // The last one, which ended in part, is one of them.
    expect(endOfRounds({ ...told(2, 0, 1), passed: 3 }, '4 rounds')).toEqual({
      note: '4 rounds, 4 of them failed in whole or in part',
      partial: '1 round ended in part:\n1: half',
    });
  });
});

describe('workflows that an agent started', () => {
  it('have failed in whole or in part, or not', () => {
    expect(failedBelow(fail('nested-failed', 'broke'))).toBe('broke');
    expect(failedBelow({ ...done, partial: 'half' })).toBe('half');
    expect(failedBelow(done)).toBeNull();
    expect(failedBelow({ status: 'skipped', reason: 'no' })).toBeNull();
  });

  it('are told by how many, and the first few', () => {
    expect(failedWorkflows({ count: 1, first: ['a'] })).toBe(
      '1 workflow that it started failed in whole or in part:\na',
    );
    expect(failedWorkflows({ count: 3, first: ['a', 'b'] })).toBe(
      '3 workflows that it started failed in whole or in part:\na\nb\n… and 1 more',
    );
    expect(linesOf({ count: 2, first: ['a', 'b'] })).toBe('a\nb');
  });
});
