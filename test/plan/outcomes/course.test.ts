import { describe, expect, it } from 'vitest';
import {
  addCounts,
  countItem,
  countRound,
  courseOf,
  endOfItems,
  endOfRounds,
  failedBelow,
  failedWorkflows,
  noCounts,
  noFailures,
} from '../../../src/plan/outcomes/course.js';
import { carrySchedule, restoreSchedule } from '../../../src/plan/schedule/carried-schedule.js';
import { nestedEnd } from '../../../src/plan/outcomes/step-ends.js';
import { NO_SPEND } from '../../../src/plan/budget/spend.js';
import type { RunEnd } from '../../../src/plan/result.js';
import {
  addFailure,
  createSchedule,
  endOf,
  endStep,
  errorOf,
  resultOf,
  startStep,
} from '../../../src/plan/schedule/schedule.js';
import type { Schedule, StepEnd } from '../../../src/plan/schedule/schedule-state.js';
import type { ForeachStep, LoopStep, Step } from '../../../src/plan/step.js';
import { inline } from '../../../src/plan/values/value.js';
import { body, commandStep } from '../helpers/build-plan.js';
import { literal, loop, foreach, many, single } from '../helpers/build-blocks.js';

type OnError = Step['on_error'];
const OUTCOMES: RunEnd[] = ['success', 'partial', 'error', 'timeout', 'cancelled'];
const POLICIES: OnError[] = ['stop', 'continue', 'skip_dependents'];

/** The end of a step that nested a run with this outcome. */
const childEnd = (status: RunEnd): StepEnd =>
  nestedEnd('run/child', {
    status,
    error: status === 'success' ? null : `child: ${status}`,
    output: inline('out'),
    spend: NO_SPEND,
    pages: [],
  });
const done: StepEnd = { status: 'success', output: inline('done') };

/** One body whose first step nested that run; with `many`, another step beside it succeeded. */
function bodyWith(status: RunEnd, policy: OnError, isSingle: boolean): Schedule {
  const steps = isSingle
    ? [commandStep(0, ['child'], { on_error: 'stop' })]
    : [commandStep(0, ['child'], { on_error: policy }), commandStep(1, ['beside'])];
  const schedule = createSchedule(isSingle ? single(steps[0]!) : many(steps)); // it has one
  endStep(schedule, 0, childEnd(status));
  if (!isSingle && schedule.open > 0) endStep(schedule, 1, done);
  return schedule;
}

const items = (on_error: OnError): ForeachStep =>
  foreach(0, { kind: 'literal', value: [] }, single(commandStep(0, ['child'])), { on_error });
const rounds = (on_error: OnError): LoopStep =>
  loop(0, { kind: 'literal', value: true }, single(commandStep(0, ['child'])), { on_error });

/** How the step ends in which a run of this outcome was nested in each way. */
const NESTINGS: Record<string, (status: RunEnd, policy: OnError) => StepEnd> = {
  'a nested workflow or a made one': childEnd,
  'an item': (status, policy) => itemsWith(policy, [bodyWith(status, policy, true), bodyWith('success', policy, true)]),
  'a body of an item': (status, policy) =>
    itemsWith(policy, [bodyWith(status, policy, false), bodyWith('success', policy, false)]),
  'an item of a batch': (status, policy) => {
    const counts = noCounts();
    for (const [index, end] of [status, 'success' as const].entries()) {
      const batch = noCounts();
      countItem(batch, index, courseOf(bodyWith(end, policy, true), true));
      addCounts(counts, batch);
    }
    return ended(endOfItems(items(policy), counts, 2));
  },
  'the last round': (status, policy) => roundsWith(policy, ['success', status], true),
  'a round before': (status, policy) => roundsWith(policy, [status, 'success'], true),
  'a body of the last round': (status, policy) => roundsWith(policy, ['success', status], false),
  'a body of a round before': (status, policy) => roundsWith(policy, [status, 'success'], false),
  'a call of an agent': (status) => {
    const below = noFailures();
    const told = failedBelow(childEnd(status));
    if (told !== null) addFailure(below, told);
    return {
      status: 'success',
      output: inline('answer'),
      ...(told === null ? {} : { partial: failedWorkflows(below) }),
    };
  },
};

const ended = (end: ReturnType<typeof endOfItems>): StepEnd =>
  end.status === 'success' ? { ...end, output: null } : end;

function itemsWith(policy: OnError, bodies: Schedule[]): StepEnd {
  const counts = noCounts();
  bodies.forEach((schedule, index) => countItem(counts, index, courseOf(schedule, schedule.body.steps.length === 1)));
  return ended(endOfItems(items(policy), counts, bodies.length));
}

/** As the interpreter goes round: a round that fails is the last one unless the loop passes it over. */
function roundsWith(policy: OnError, statuses: RunEnd[], isSingle: boolean): StepEnd {
  const counts = noCounts();
  for (const [index, status] of statuses.entries()) {
    const course = courseOf(bodyWith(status, policy, isSingle), isSingle);
    const goesOn = course.failure === null || policy === 'continue';
    const isLast = !goesOn || index + 1 === statuses.length;
    countRound(counts, rounds(policy), index, { ...course, isLast });
    if (isLast)
      return course.failure === null
        ? { status: 'success', output: null, ...endOfRounds(counts, `${index + 1} rounds`) }
        : { status: 'error', failure: course.failure };
  }
  throw new Error('a loop has a round');
}

/** The run around it, in which another step succeeds unless the first one stops it. */
function runWith(end: StepEnd, on_error: OnError): Schedule {
  const schedule = createSchedule(
    body([commandStep(0, ['nests'], { on_error }), commandStep(1, ['beside'])], { name: 'run' }),
  );
  startStep(schedule, 0);
  endStep(schedule, 0, end);
  if (schedule.open > 0) endStep(schedule, 1, done);
  return schedule;
}

/**
 * What the run is by the rules: what failed goes up, as `partial` where it was passed over; only a later round makes up
 * for it.
 */
function expected(nesting: string, status: RunEnd, policy: OnError): 'success' | 'partial' | 'error' {
  if (status === 'success') return 'success';
  if (nesting === 'a call of an agent') return 'partial';
  const isBody = nesting.startsWith('a body');
  if (nesting.endsWith('a round before') && policy === 'continue') return 'success';
  if (status === 'partial') return 'partial';
  // In a body of two steps what fails and is passed over leaves a success in part; nothing depends on it.
  if (isBody && nesting.endsWith('a round before') && policy === 'skip_dependents') return 'success';
  return policy === 'stop' ? 'error' : 'partial';
}

const TABLE = Object.keys(NESTINGS).flatMap((nesting) =>
  OUTCOMES.flatMap((status) => POLICIES.map((policy) => ({ nesting, status, policy }))),
);

describe('what failed below goes up', () => {
  it.each(TABLE)('$status in $nesting with on_error $policy', ({ nesting, status, policy }) => {
    const end = NESTINGS[nesting]!(status, policy); // a key of it
    const run = runWith(end, policy);
    expect(endOf(run)).toBe(expected(nesting, status, policy));
    // Nothing that failed is inside a success without a word, also when the run continued as new right after.
    const result = resultOf(run, 0, {});
    if (status !== 'success')
      expect(`${result?.error ?? ''}${result?.partial ?? ''}${result?.note ?? ''}`).toMatch(
        /child|failed in whole or in part/,
      );
    const next = restoreSchedule(run.body, JSON.parse(JSON.stringify({ ...carrySchedule(run), pages: [] })) as never);
    expect([endOf(next), errorOf(next), next.steps[0]?.partial !== null]).toEqual([
      endOf(run),
      errorOf(run),
      run.steps[0]?.partial !== null,
    ]);
    if (endOf(run) !== 'success') expect(errorOf(run)).toContain('child');
    if (endOf(run) === 'partial')
      expect(
        nestedEnd('run', { status: 'partial', error: errorOf(run), output: null, spend: NO_SPEND, pages: [] }),
      ).toMatchObject({ status: 'success', partial: errorOf(run) });
  });

  it('items that nobody did are a failure, whatever the policy', () => {
    const counts = noCounts();
    countItem(counts, 0, courseOf(bodyWith('success', 'stop', true), true));
    for (const policy of POLICIES)
      expect(endOfItems(items(policy), counts, 210)).toMatchObject({
        status: 'error',
        failure: { message: '209 of 210 items were not done.' },
      });
  });

  it('tells of items that were skipped, and of those that ended in part', () => {
    const counts = noCounts();
    const skipped = createSchedule(single(commandStep(0, ['child'])));
    endStep(skipped, 0, { status: 'skipped', reason: '`when` is false' });
    [bodyWith('success', 'stop', true), bodyWith('partial', 'stop', true), skipped].forEach((schedule, index) =>
      countItem(counts, index, courseOf(schedule, true)),
    );
    expect(endOfItems(items('stop'), counts, 3)).toEqual({
      status: 'success',
      note: '2 of 3 items, 1 in part, 1 skipped',
      partial: '1 of 3 items ended in part:\n1: child: partial',
    });
  });

  it('is taken back with a step that a rejection sends back', () => {
    const draft = commandStep(0, ['draft']);
    const gate: Step = {
      ...commandStep(1, ['x'], { needs: [{ step: 0, skip: false }] }),
      kind: 'approval',
      message: literal('Go on?'),
      content: null,
      fallback: 'abort',
      rework: { step: 0, max: 2 },
    };
    const schedule = createSchedule(body([draft, gate], { name: 'rework' }));
    endStep(schedule, 0, childEnd('partial'));
    endStep(schedule, 1, { status: 'error', failure: { type: 'rejected', message: 'no' }, decided_by: ['ana'] });
    endStep(schedule, 0, childEnd('success'));
    endStep(schedule, 1, { status: 'success', output: inline('yes') });
    expect([endOf(schedule), errorOf(schedule)]).toEqual(['success', null]);
  });
});
